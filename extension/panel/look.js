// The sets of colours; panel.css has what they look like.

/** "host" follows the page. */
export const COLOURS = ["host", "crimson", "cyan", "amber", "violet", "light"];
