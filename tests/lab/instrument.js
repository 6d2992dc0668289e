// Runs before the page's own code: counts what the page asks of its workers, and notes when a picture of a
// new result has been painted.
(() => {
  const lab = {
    runs: 0, // asked for
    underWay: 0, // asked for and not answered
    most: 0, // of these at once
    engineBytes: 0, // the linear memory of all workers that are there, which the page bounds (pool.ts)
    traps: [],
    inputs: [], // times of changes by a person
    painted: [], // times at which pictures with a new description were on the screen
    // Whether the picture of the last change is on the screen, by the page's own marks.
    isSettled() {
      const at = (name) => performance.getEntriesByName(`evenair:${name}`).at(-1)?.startTime;
      return at("picture") > (at("change") ?? 0);
    },
    // What follows a change: "picture", or the message of a refusal.
    async outcome() {
      for (;;) {
        await new Promise(requestAnimationFrame); // what was there before has gone by then
        if (lab.isSettled()) return "picture";
        const alert = document.querySelector("[role=alert]");
        if (alert) return alert.innerText;
      }
    },
    // The editor, the part of the text outside of its window included.
    editor() {
      return document.querySelector(".cm-content").cmTile.root.view;
    },
    // All controls that are there, those in closed groups included.
    controls() {
      return [...document.querySelectorAll(".control[data-key]")].map((control) => {
        const field = control.querySelector("input, select");
        const kind = { range: "slider", checkbox: "flag" }[field.type] ?? "menu";
        return {
          key: control.dataset.key,
          kind,
          label: field.labels[0]?.textContent ?? "",
          values: kind === "menu" ? [...field.options].map((option) => option.value) : [],
          value: kind === "flag" ? String(field.checked) : field.value,
          length: kind === "slider" ? Number(field.max) + 1 : 0,
        };
      });
    },
  };
  Object.defineProperty(window, "observedLab", { value: lab });

  window.Worker = class extends Worker {
    #runs = 0;
    #bytes = 0;

    #hold(bytes) {
      lab.engineBytes += bytes - this.#bytes;
      this.#bytes = bytes;
    }

    constructor(...parameters) {
      super(...parameters);
      this.addEventListener("message", ({ data }) => {
        if (data?.memory !== undefined) this.#hold(data.memory);
        if (data?.trap !== undefined) lab.traps.push(data.trap);
        if (this.#runs > 0) {
          this.#runs -= 1;
          lab.underWay -= 1;
        }
      });
    }

    postMessage(message, ...rest) {
      if (String(message?.request).includes('"call":"run"')) {
        this.#runs += 1;
        lab.runs += 1;
        lab.underWay += 1;
        lab.most = Math.max(lab.most, lab.underWay);
      }
      super.postMessage(message, ...rest);
    }

    terminate() {
      lab.underWay -= this.#runs;
      this.#runs = 0;
      this.#hold(0);
      super.terminate();
    }
  };

  addEventListener("input", () => lab.inputs.push(performance.now()), { capture: true });

  // After the frame in which the description of a picture has changed. A task that is posted in the frame's
  // callback runs after the frame has been drawn.
  const drawn = new MessageChannel();
  drawn.port1.onmessage = () => lab.painted.push(performance.now());
  let isWaiting = false;
  new MutationObserver((changes) => {
    if (isWaiting || !changes.some(({ target }) => target.getAttribute("role") === "img")) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      drawn.port2.postMessage(0);
    });
  }).observe(document, { subtree: true, attributeFilter: ["aria-label"] });
})();
