import { lockDataFolder } from '../src/lock.ts';

/** Program: takes the lock of the folder it is given, says so, and stays. */
const folder: string = JSON.parse(process.argv[2] ?? '');
try {
  await lockDataFolder(folder);
  console.log('locked');
  setInterval(() => undefined, 60_000);
} catch (error) {
  console.log(`${(error as Error).name}: ${(error as Error).message}`);
}
