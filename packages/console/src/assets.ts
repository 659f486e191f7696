/** Where the built page lies, and how its files may be cached. */
export interface ConsoleAssets {
  /** The build's folder, with a trailing slash. It may not exist before `npm run prepare`. */
  readonly directory: URL;
  /** The page that answers every path below `/console` that is not a file. Never cached. */
  readonly index: URL;
  /** Path prefix, relative to the folder, of files whose name holds a hash of their content. */
  readonly immutablePrefix: string;
}

/** An empty page of the build, served under a policy that lets it load pictures: mails are shown in it when asked for. */
export const MAIL_FRAME = 'mail-frame.html';

/** What holds for that page: pictures from anywhere, and nothing else; only the console frames it. */
export const MAIL_FRAME_HEADERS = {
  'content-security-policy':
    "default-src 'none'; img-src http: https: data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
} as const;

/** Tells the server where to find the console; it reads nothing. */
export function consoleAssets(): ConsoleAssets {
  const directory = new URL('../dist/', import.meta.url);
  return { directory, index: new URL('index.html', directory), immutablePrefix: 'assets/' };
}
