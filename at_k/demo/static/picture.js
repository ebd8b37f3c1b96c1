// A picture of what an element shows, as SVG or PNG: its drawings with their colours, and its texts where they stand.

const SIZE = 2; // pixels of the PNG for each of the page

/** Save an element as a picture with a title. */
export async function savePicture(element, title, file, type) {
  const { text, width, height } = writePicture(element, title);
  const drawing = new Blob([text], { type: "image/svg+xml" });
  if (type === "svg") return offer(drawing, `${file}.svg`);
  const image = new Image();
  image.src = URL.createObjectURL(drawing);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: SIZE * width, height: SIZE * height });
  canvas.getContext("2d").drawImage(image, 0, 0, SIZE * width, SIZE * height);
  return canvas.toBlob((found) => offer(found, `${file}.png`));
}

function offer(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
}

function writePicture(element, title) {
  const [margin, head] = [20, title ? 44 : 0];
  const box = element.getBoundingClientRect();
  const end = element.querySelector(":scope > .more")?.getBoundingClientRect().top ?? box.bottom; // buttons come after the picture
  const [width, height] = [Math.ceil(box.width) + 2 * margin, Math.ceil(end - box.top) + 2 * margin + head];
  const colour = (name) => getComputedStyle(element).getPropertyValue(name);
  const { color, backgroundColor } = getComputedStyle(document.body);
  const place = (rect) => [rect.left - box.left + margin, rect.top - box.top + margin + head];
  const parts = [`<rect width="${width}" height="${height}" fill="${backgroundColor}"/>`];
  if (title) parts.push(`<text x="${margin}" y="${margin + 24}" font-size="24" font-weight="700" fill="${color}">${escape(title)}</text>`);
  for (const drawing of element.querySelectorAll("svg")) {
    const rect = drawing.getBoundingClientRect();
    if (!rect.width) continue;
    const copied = drawing.cloneNode(true);
    const [x, y] = place(rect);
    for (const [name, value] of Object.entries({ x, y, width: rect.width, height: rect.height, xmlns: "http://www.w3.org/2000/svg" })) copied.setAttribute(name, value);
    for (const each of copied.querySelectorAll("text")) { each.setAttribute("font-size", 12); each.setAttribute("fill", "var(--soft)"); }
    parts.push(new XMLSerializer().serializeToString(copied).replace(/var\((--\w+)[^)]*\)/g, (_, name) => resolve(colour(name))));
  }
  for (const filled of element.querySelectorAll("[aria-pressed=true], .legend i")) {
    const rect = filled.getBoundingClientRect();
    const [x, y] = place(rect);
    parts.push(`<rect x="${x}" y="${y}" width="${rect.width}" height="${rect.height}" rx="${Math.min(14, rect.height / 2)}" fill="${getComputedStyle(filled).backgroundColor}"/>`);
  }
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest("svg, .unseen, .more, select, details, [hidden]") || !node.data.trim() ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  while (texts.nextNode()) parts.push(...writeLines(texts.currentNode, place));
  return { width, height, text: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">${parts.join("")}</svg>` };
}

/** Write a text as the lines in which it stands: words whose rectangles have one top. */
function writeLines(node, place) {
  const { fontSize, fontWeight, color } = getComputedStyle(node.parentElement);
  const lines = new Map();
  for (const word of node.data.matchAll(/\S+\s*/g)) {
    const range = document.createRange();
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].trimEnd().length);
    const [rect] = range.getClientRects();
    if (!rect) continue;
    const line = lines.get(rect.top) ?? { rect, text: "" };
    lines.set(rect.top, { ...line, text: line.text + word[0] });
  }
  return [...lines.values()].map(({ rect, text }) => {
    const [x, y] = place(rect);
    return `<text x="${x}" y="${y + 0.78 * rect.height}" font-size="${fontSize}" font-weight="${fontWeight}" fill="${color}">${escape(text.trimEnd())}</text>`;
  });
}

/** Return a colour as the browser shows it: "light-dark(…)" is no colour of SVG. */
function resolve(text) {
  const probe = document.createElement("i");
  probe.style.color = text;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
