/** What goes into the audit log: bounded, and without secrets as far as they can be told. */

const LONGEST_TEXT = 2_000;
const SHORT_TEXT = 200;
const MOST_MEMBERS = 50;
const DEEPEST = 6;
const LONGEST_DETAILS = 16_000;
const BLANK = '[redacted]';

const SECRET_NAME =
  /(?:^|[_\-.]|(?<=[a-z])(?=[A-Z]))(?:pass(?:word|wd|phrase)?|secret|tokens?|credentials?|authorization|cookie|api[_-]?key|private[_-]?key|access[_-]?key)$/i;

/** Texts that are secrets by their looks; what stands in a group before them is kept. */
const SECRET_TEXTS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // Slack, GitHub, GitLab, Anthropic and OpenAI, AWS, Google, npm, JSON Web Tokens.
  /\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{8,}/g,
  /\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/g,
  /\bsk-[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bnpm_\w{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /(\b(?:Bearer|Basic)\s+)[\w.~+/=-]{8,}/gi,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi,
  // FOO_TOKEN=…, "password": "…"
  /((?:pass(?:word|wd|phrase)?|secret|token|authorization|api[_-]?key|private[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?)(?!\[redacted\])[^\s"'&;,|]{6,}/gi,
  // --api-key …
  /(--[\w-]*(?:password|passwd|secret|token|key)\s+["']?)(?!\[redacted\])[^\s"'&;,|]{6,}/gi,
];

export interface Redactor {
  text(text: string, longest?: number): string;
  details(details: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** @param secrets Values known to be secret, such as the platforms' tokens; short ones are left out of account. */
export function redactor(secrets: readonly string[] = []): Redactor {
  const known = secrets.filter((secret) => secret.length >= 8);

  const text = (given: string, longest = LONGEST_TEXT): string => {
    // Cut with room to spare first, so that no one pays for looking through a file's worth of text.
    let shown = shorten(given, longest * 4);
    for (const secret of known) shown = shown.replaceAll(secret, BLANK);
    for (const pattern of SECRET_TEXTS) {
      shown = shown.replace(pattern, (_whole, before: unknown) =>
        typeof before === 'string' ? `${before}${BLANK}` : BLANK,
      );
    }
    return shorten(shown, longest);
  };

  const value = (given: unknown, longest: number, depth: number): unknown => {
    if (typeof given === 'string') return text(given, longest);
    if (typeof given !== 'object' || given === null) return given;
    if (depth >= DEEPEST) return '[…]';
    if (Array.isArray(given)) {
      const members = given.slice(0, MOST_MEMBERS).map((member) => value(member, longest, depth + 1));
      return given.length > MOST_MEMBERS ? [...members, `[${given.length - MOST_MEMBERS} more]`] : members;
    }
    const entries = Object.entries(given);
    const members = entries
      .slice(0, MOST_MEMBERS)
      .map(([key, member]): [string, unknown] => [
        text(key, SHORT_TEXT),
        SECRET_NAME.test(key) && typeof member === 'string' ? BLANK : value(member, longest, depth + 1),
      ]);
    if (entries.length > MOST_MEMBERS) members.push(['…', `${entries.length - MOST_MEMBERS} more`]);
    return Object.fromEntries(members);
  };

  return {
    text,
    details(details) {
      for (const longest of [LONGEST_TEXT, SHORT_TEXT]) {
        const shown = value(details, longest, 0);
        if (JSON.stringify(shown).length <= LONGEST_DETAILS) return shown as Record<string, unknown>;
      }
      return { left_out: 'the details were too large' };
    },
  };
}

/** Start and end, and how much was between. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text.toWellFormed();
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}[… ${text.length - 2 * half} …]${text.slice(-half)}`.toWellFormed();
}
