import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that only this user can read, in a folder that only this user can enter. */
export interface PrivateFile extends AsyncDisposable {
  readonly path: string;
  /** Puts another one beside it, which goes with it; gives its path. */
  add(name: string, content: string): Promise<string>;
}

/** @param folder Made when it is missing; the file lies in a new folder below it, removed with it. */
export async function privateFile(folder: string, name: string, content: string): Promise<PrivateFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(folder, 'run-'));
  const remove = () => rm(own, { recursive: true, force: true });
  const add = async (beside: string, text: string): Promise<string> => {
    const path = join(own, beside);
    try {
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      await remove();
      throw error;
    }
    return path;
  };
  return { path: await add(name, content), add, [Symbol.asyncDispose]: remove };
}
