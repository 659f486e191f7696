/** Attributes as people write them: one a line, `name: value`; a value that reads as JSON is that value. */

type Attributes = Readonly<Record<string, unknown>>;

export function attributesText(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${nameText(name)}: ${valueText(value)}`)
    .join('\n');
}

/** Names and texts as they are, unless reading them back would make something else of them. */
function nameText(name: string): string {
  return isPlain(name) && !/^"|:/.test(name) ? name : JSON.stringify(name);
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isPlain(value) && readValue(value) === value ? value : JSON.stringify(value);
}

const isPlain = (text: string) => text.trim() === text && !text.includes('\n');

const QUOTED_NAME = /^\s*("(?:[^"\\]|\\.)*")\s*:/;

/** @returns null for no attributes at all, or a fault in words. */
export function readAttributes(text: string): {
  readonly value: Attributes | null;
  readonly fault: string | null;
} {
  const found: Record<string, unknown> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const quoted = QUOTED_NAME.exec(line);
    if (quoted !== null) {
      found[String(readValue(quoted[1] ?? ''))] = readValue(line.slice(quoted[0].length).trim());
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1) return { value: null, fault: `Line ${index + 1} must be name: value.` };
    found[line.slice(0, colon).trim()] = readValue(line.slice(colon + 1).trim());
  }
  return { value: Object.keys(found).length === 0 ? null : found, fault: null };
}

/** Numbers, true, false, lists, objects and quoted texts by JSON; everything else is a text. */
export function readValue(text: string): unknown {
  // What a number would not keep, such as a telephone's leading zero, stays text.
  if (/^-?\d+(\.\d+)?$/.test(text)) return String(Number(text)) === text ? Number(text) : text;
  if (!/^(true|false|[[{"].*)$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
