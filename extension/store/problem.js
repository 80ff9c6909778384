/** An error as the engine has them. */
export class StoreProblem extends Error {
  /**
   * @param {"store_error" | "conflict"} code
   * @param {string} message
   * @param {string} hint
   */
  constructor(code, message, hint) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
