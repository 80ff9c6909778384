// Which node of a large graph is under the pointer. Sigma finds it by drawing all of them a second time for each picture, and by waiting until
// the graphics have drawn them. While the view moves nobody asks, so then neither is done: the second picture is made when it is wanted.
import { NodeCircleProgram } from "../vendor/sigma.mjs";

/**
 * @typedef {import("../vendor/sigma.mjs").Sigma} Sigma
 *
 * @param {() => Sigma} sigma once it is there
 * @param {() => boolean} large whether the graph is
 */
export function pointerOf(sigma, large) {
  /** Whether the last picture was made without the second one. */
  let stale = false;
  /** Whether nodes are drawn so that they can be pointed at in any case. */
  let wanted = false;

  function moving() {
    const mouse = sigma().getMouseCaptor();
    return mouse.isMoving || Boolean(mouse.currentWheelDirection) || sigma().getTouchCaptor().isMoving || sigma().getCamera().isAnimated();
  }

  /** No hand is quite still: a click that went a little way sets the view in motion, and is a click. */
  function clicking() {
    const mouse = sigma().getMouseCaptor();
    return !mouse.isMouseDown && mouse.draggedEvents > 0 && mouse.draggedEvents < sigma().getSetting("draggedEventsTolerance");
  }

  return {
    /** As sigma's own program, but for the second picture. */
    program: class extends NodeCircleProgram {
      /** @override @param {import("sigma/types").RenderParams} params */
      render(params) {
        const { pickProgram } = this;
        stale = !wanted && large() && moving();
        if (stale) this.pickProgram = null;
        super.render(params);
        this.pickProgram = pickProgram;
      }
    },
    /** Called once, when sigma is there. */
    attach() {
      const found = /** @type {{getNodeAtPosition: (at: {x: number, y: number}) => string | null}} */ (/** @type {unknown} */ (sigma()));
      const find = found.getNodeAtPosition.bind(found);
      found.getNodeAtPosition = (at) => {
        if (large() && moving() && !clicking()) return null;
        if (stale) {
          wanted = true;
          sigma().refresh({ skipIndexation: true, schedule: false });
          wanted = false;
        }
        return find(at);
      };
    },
  };
}
