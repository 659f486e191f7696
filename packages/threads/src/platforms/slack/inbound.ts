import type { Mention } from '../platform.ts';

/** Names for what Slack's texts hold as ids; null for what is not known. */
export interface Names {
  person(personId: string): Promise<string | null>;
  channel(channelId: string): Promise<string | null>;
}

const CONTROL = /<([^<>]*)>/g;

/** A text of Slack's as people read it: names for ids, links written out, entities undone. */
export async function readMrkdwn(text: string, names: Names): Promise<{ text: string; mentions: Mention[] }> {
  const mentions: Mention[] = [];
  let out = '';
  let from = 0;
  for (const match of text.matchAll(CONTROL)) {
    out += unescaped(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [target = '', label] = halves(match[1] ?? '');
    if (/^@[UW]/.test(target)) {
      const personId = target.slice(1);
      const name = (await names.person(personId)) ?? label ?? personId;
      mentions.push({ text: `@${name}`, personId });
      out += `@${name}`;
    } else if (target.startsWith('#')) {
      out += `#${label || ((await names.channel(target.slice(1))) ?? target.slice(1))}`;
    } else if (target.startsWith('!')) {
      out += special(target.slice(1), label);
    } else {
      out += link(unescaped(target), label);
    }
  }
  return { text: out + unescaped(text.slice(from)), mentions };
}

function halves(inner: string): [string, string | undefined] {
  const at = inner.indexOf('|');
  return at === -1 ? [inner, undefined] : [inner.slice(0, at), unescaped(inner.slice(at + 1))];
}

/** `<!here>`, `<!subteam^S…|@group>`, `<!date^…|yesterday>` and whatever else begins so. */
function special(command: string, label: string | undefined): string {
  if (label !== undefined && label !== '') return label;
  const [name = ''] = command.split('^');
  return `@${name}`;
}

/** Slack makes links of bare names such as `main.rs` too; there the label is what was typed. */
function link(url: string, label: string | undefined): string {
  if (label === undefined || label === '' || label === url) return url.replace(/^mailto:/, '');
  const bare = url.replace(/^(?:https?:\/\/|mailto:|tel:)/, '').replace(/\/$/, '');
  return bare === label.replace(/\/$/, '') ? label : `${label} (${url})`;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
