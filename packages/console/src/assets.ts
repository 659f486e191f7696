/** Where the built page lies, and how its files may be cached. */
export interface ConsoleAssets {
  /** The build's folder, with a trailing slash. It may not exist before `npm run prepare`. */
  readonly directory: URL;
  /** The page that answers every path below `/console` that is not a file. Never cached. */
  readonly index: URL;
  /** Path prefix, relative to the folder, of files whose name holds a hash of their content. */
  readonly immutablePrefix: string;
}

/** Tells the server where to find the console; it reads nothing. */
export function consoleAssets(): ConsoleAssets {
  const directory = new URL('../dist/', import.meta.url);
  return { directory, index: new URL('index.html', directory), immutablePrefix: 'assets/' };
}
