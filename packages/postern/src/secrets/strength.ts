/** Rule of contracts/process.md, "Life of the process": weak secrets are refused anywhere. */

const SHORTEST_SECRET = 24;
/** Fewer different characters than this is a held-down key or a counted-out pattern. */
const FEWEST_DIFFERENT_CHARACTERS = 6;

/**
 * Values that stand in guides and templates, or are typed first, also several after another; compared without
 * case and punctuation. None is made of others, so that a text can be read in one way only.
 */
const KNOWN_EXAMPLES = [
  'admin',
  'adminkey',
  'amcbearertoken',
  'bearertoken',
  'changeit',
  'changeme',
  'changethis',
  'default',
  'dummy',
  'example',
  'examplekey',
  'insertyourkeyhere',
  'insertyoursecrethere',
  'insertyourtokenhere',
  'letmein',
  'mysecret',
  'mysecretkey',
  'mysecrettoken',
  'mysupersecret',
  'mysupersecretkey',
  'password',
  'placeholder',
  'pleasechangeme',
  'pleasechangethis',
  'posternadminkey',
  'replaceme',
  'replacethis',
  'replacewithyourownsecret',
  'secret',
  'secretkey',
  'supersecret',
  'supersecretkey',
  'todo',
  'token',
  'youradminkey',
  'youradminkeyhere',
  'yourbearertoken',
  'yourbearertokenhere',
  'yoursecrethere',
  'yoursecretkey',
  'yoursecretkeyhere',
  'yoursecrettokenhere',
  'yourtokenhere',
];

/** Runs that a keyboard or the alphabet makes. */
const RUNS = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', 'qwertyuiopasdfghjklzxcvbnm'];

/** What may stand behind `Bearer` (RFC 6750); any other secret could never be sent. */
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/;

const EXAMPLES = new RegExp(`^(?:${KNOWN_EXAMPLES.join('|')}|[0-9])+$`);

/**
 * Says why a secret cannot be used or is too weak, in words that fit after "found", or null when it is good enough.
 * The secret itself is never part of the answer.
 */
export function weaknessOf(secret: string): string | null {
  const length = [...secret].length;
  if (length < SHORTEST_SECRET) return `a secret of ${length} characters`;
  if (!BEARER.test(secret)) return 'a secret with characters that no bearer token can have';
  if (isKnownExample(secret)) return 'a secret known from examples';
  if (new Set(secret).size < FEWEST_DIFFERENT_CHARACTERS) return 'a secret of too few different characters';
  return null;
}

/** Whether a text is put together from what guides and templates have, digits aside, or is a run of the keyboard. */
export function isKnownExample(secret: string): boolean {
  const plain = secret.toLowerCase().replace(/[^a-z0-9]/g, '');
  // A few letters among other characters say nothing: they may be there by chance.
  if (plain.length < secret.length / 2) return false;
  return isRun(plain) || (/[a-z]/.test(plain) && EXAMPLES.test(plain));
}

export const STRONG_SECRET =
  `at least ${SHORTEST_SECRET} letters, digits and ._~+/-= that nobody can guess ` +
  '(openssl rand -base64 32 makes some)';

function isRun(plain: string): boolean {
  return (
    plain.length > 0 &&
    RUNS.some((run) => run.repeat(Math.ceil(plain.length / run.length) + 1).includes(plain))
  );
}
