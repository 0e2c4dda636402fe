// Flame graphs of allocation profiles, with the callers above: a box is as wide as the bytes that its function and what
// it called allocated. A click makes its box as wide as the graph.

const profiles = results.filter((result) => result.kind === "profile");
const mebibytes = (bytes) => bytes / 2 ** 20;
const percentOf = (part, all) => `${shown(all === 0 ? 0 : (100 * part) / all)} %`;

// Narrower boxes are not drawn, or have no text.
const leastShare = 1 / 1000;
const leastShareWithText = 1 / 25;
const tints = 4;
const tintOf = (name) => [...name].reduce((sum, letter) => (31 * sum + letter.codePointAt(0)) % 65536, 7) % tints;

// Gives the frames that are drawn, with their places from 0 to 1, where frame number `zoomed` is as wide as the graph.
// Frames come each behind its caller.
function placesOf(frames, key, zoomed) {
  const places = [];
  let depth = frames[zoomed].depth;
  for (let number = zoomed - 1; number >= 0; --number) {
    if (frames[number].depth >= depth) continue;
    depth = frames[number].depth;
    places.unshift({ number, left: 0, width: 1, calls: true });
  }
  const all = frames[zoomed][key];
  const next = [];
  next[frames[zoomed].depth] = 0;
  for (let number = zoomed; number < frames.length; ++number) {
    const frame = frames[number];
    if (number > zoomed && frame.depth <= frames[zoomed].depth) break;
    const left = next[frame.depth];
    const width = frame[key] / all;
    next[frame.depth] = left + width;
    next[frame.depth + 1] = left;
    if (width >= leastShare) places.push({ number, left, width });
  }
  return places;
}

// `key`: "bytes" or "live_bytes".
function drawFlame(container, { names, frames }, key) {
  const objects = key.replace("bytes", "objects");
  const textOfFrame = (frame) => `${names[frame.name]}: ${shown(mebibytes(frame[key]))} MiB in ${shown(frame[objects])} `
    + `objects, ${percentOf(frame[key], frames[0][key])} of all`;
  const show = (zoomed, isClicked) => {
    const places = placesOf(frames, key, zoomed);
    const rows = 1 + most(places.map(({ number }) => frames[number].depth));
    const boxes = element("div", places.map(({ number, left, width, calls }) => {
      const frame = frames[number];
      const box = element("button", width < leastShareWithText ? "" : names[frame.name], {
        type: "button",
        title: textOfFrame(frame),
        class: `tint-${tintOf(names[frame.name])}${calls ? " calls" : ""}${width < leastShareWithText ? " narrow" : ""}`,
        style: `left: ${100 * left}%; width: ${100 * width}%; top: ${frame.depth * 1.3}rem`,
      });
      box.addEventListener("click", () => show(number, true));
      if (number === zoomed && isClicked) requestAnimationFrame(() => box.focus({ preventScroll: true }));
      return box;
    }), { class: "boxes", style: `height: ${rows * 1.3}rem` });
    container.replaceChildren(boxes, element("p", textOfFrame(frames[zoomed]), { class: "note" }));
  };
  show(0, false);
}

// What functions allocated themselves, the most first.
function functionRows({ names, frames }, key) {
  const own = new Map();
  const callers = [];
  const add = (frame, bytes) => own.set(frame.name, (own.get(frame.name) ?? 0) + bytes);
  for (const frame of frames) {
    callers[frame.depth] = frame;
    add(frame, frame[key]);
    if (frame.depth > 0) add(callers[frame.depth - 1], -frame[key]);
  }
  const all = frames[0][key];
  return [...own].filter(([, bytes]) => bytes > 0).sort((one, other) => other[1] - one[1]).slice(0, 40)
    .map(([name, bytes]) => ({ name: names[name], mib: mebibytes(bytes), percent: (100 * bytes) / all }));
}

function flamePanel(profile, key, what) {
  return {
    heading: profiles.length > 1 ? `${profile.label}: ${what}` : what,
    flame: (container) => drawFlame(container, profile, key),
    columns: columns({ name: "allocated in", mib: "MiB", percent: "%" }),
    rows: functionRows(profile, key),
  };
}

function flameFigures() {
  const panels = profiles.flatMap((profile) => [["bytes", "allocated bytes"], ["live_bytes", "live bytes"]]
    .filter(([key]) => profile.frames[0][key] > 0).map(([key, what]) => flamePanel(profile, key, what)));
  if (panels.length === 0) return [];
  return [{ id: "flame", title: "Who allocated it", isWide: true, panels,
    note: "A box is as wide as what its function, and all that it called, allocated: callers are above. A click enlarges it, one on a box above takes that back. Estimated from samples; live is what the last collection marked." }];
}
