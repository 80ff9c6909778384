// The sets of colours; style/colours.css has what they look like.

/** "host" follows the page. */
export const COLOURS = ["host", "crimson", "cyan", "amber", "violet", "light"];
