import { type Entity, type Fields, splitFields } from './entity.ts';
import type { ReportAction, ReportRecipient } from './kinds.ts';
import { enhancedCode, replyCode, reportRecipient } from './recipient.ts';

/**
 * Delivery reports in words alone, as qmail, Exim and many others write them. They are believed only from a mail
 * system, and only when they say that something failed.
 */

interface PlainBounce {
  readonly recipients: readonly ReportRecipient[];
  /** The header of the returned message, where it follows the words. */
  readonly original: Fields | undefined;
  readonly messageId: string | null;
}

const DAEMON = /mailer-?daemon|postmaster|mail ?delivery (?:sub)?system|<>/i;
const FAILURE =
  /undeliver|unable to deliver|could(?:n.t| not) (?:be )?deliver|not (?:be )?deliver|deliver(?:y|ing) (?:\w+ )?(?:your mail|has |status notification|fail|error|problem)|fail(?:ed|ure) (?:notice|to deliver)|returned (?:mail|to sender)|error delivering|wasn.t able to deliver|permanent (?:fatal )?error|address(?:es|\(es\))? failed|unzustellbar|non remis/i;
const DELAY =
  /\bdelay|will (?:keep|continue) (?:on )?trying|still being (?:tried|retried)|no action is required|not yet been delivered|temporarily|retry (?:for|until)|warning: (?:message|could)/i;
const GIVEN_UP =
  /permanent|giv(?:en|ing) up|expired|too long|fail(?:ed|ure) (?:permanently|notice)|has been returned/i;

/** Where the returned message begins. */
const COPY =
  /^(?:-+ ?(?:Below this line|This is a copy|Original message|The (?:full|header|body)|Returned message|Message header)|Message headers? follow|Original message (?:headers? )?follows?|-{20,}$|Your message reads)/im;
const MAX_RECIPIENTS = 20;
const MAX_WORDS = 50_000;

/** @param text the words of the report. @returns undefined when it is no delivery report. */
export function readPlainBounce({ fields }: Entity, text: string): PlainBounce | undefined {
  const failed = fields.all('x-failed-recipients').flatMap((value) => value.split(','));
  const sender = `${fields.get('from') ?? ''} ${fields.get('return-path') ?? ''}`;
  if (failed.length === 0 && !DAEMON.test(sender)) return undefined;
  const { words, copy } = splitCopy(text.slice(0, MAX_WORDS));
  const subject = fields.text('subject') ?? '';
  if (failed.length === 0 && !FAILURE.test(subject) && !FAILURE.test(words) && !DELAY.test(words))
    return undefined;
  const delayed = failed.length === 0 && DELAY.test(`${subject}\n${words}`) && !GIVEN_UP.test(words);
  const action: ReportAction = delayed ? 'delayed' : 'failed';
  const named = failed.length > 0 ? byName(failed, words) : byParagraph(words);
  const original = splitFields(copy.replace(/^\s*\n/, '')).fields;
  return {
    recipients: (named.length > 0 ? named : [{ address: null, diagnostic: words }]).map(
      ({ address, diagnostic }) =>
        reportRecipient({
          address,
          original: null,
          action,
          status: enhancedCode(diagnostic),
          diagnostic: summary(diagnostic),
        }),
    ),
    original: original.get('message-id') === null && original.get('subject') === null ? undefined : original,
    messageId: /^message-id:\s*(<[^<>\s]+>)/im.exec(text)?.[1] ?? null,
  };
}

function splitCopy(text: string): { words: string; copy: string } {
  const start = COPY.exec(text);
  if (start === null) return { words: text, copy: '' };
  const line = text.indexOf('\n', start.index);
  return { words: text.slice(0, start.index), copy: line === -1 ? '' : text.slice(line + 1) };
}

interface Named {
  readonly address: string;
  readonly diagnostic: string;
}

function byName(names: readonly string[], words: string): Named[] {
  const addresses = names.map((name) => name.trim().replace(/^<|>$/g, '')).filter((name) => name !== '');
  return addresses.slice(0, MAX_RECIPIENTS).map((address) => {
    const at = words.indexOf(address);
    return { address, diagnostic: at === -1 || addresses.length === 1 ? words : words.slice(at, at + 1_000) };
  });
}

/** A line that is an address, or begins with one in brackets, or tells whom a message was for. */
const ADDRESS_LINE =
  /^[ \t>]*(?:<([^\s<>@]+@[^\s<>]+)>[:.]?(?:.*)|([^\s<>@:]+@[^\s<>:,]+?)[:.]?)$|(?:deliver\w{0,4} (?:your |the )?(?:mail|message)?\s*to|following (?:recipient|address)\w{0,4}:?)\s*<?([^\s<>@]+@[^\s<>]+?)>?[.:]?(?:\s|$)/gim;

function byParagraph(words: string): Named[] {
  const found = [...words.matchAll(ADDRESS_LINE)].slice(0, MAX_RECIPIENTS);
  const named = new Map<string, string>();
  found.forEach((match, index) => {
    const address = match[1] ?? match[2] ?? match[3] ?? '';
    const end = found[index + 1]?.index ?? words.length;
    const diagnostic = words.slice(match.index, Math.min(end, match.index + 2_000));
    if (!named.has(address)) named.set(address, diagnostic);
  });
  return Array.from(named, ([address, diagnostic]) => ({ address, diagnostic }));
}

/** The server's words, from its reply code on where there is one. */
function summary(words: string): string {
  const code = replyCode(words);
  const at = code === null ? 0 : Math.max(0, words.indexOf(String(code)));
  return words.slice(at).replace(/\s+/g, ' ').trim().slice(0, 500);
}
