import type { Platform } from '../platforms/platform.ts';
import type { Typed } from '../typed.ts';
import type { MemoryEntry } from './entry.ts';
import { code } from './listing.ts';

/**
 * Tells a thread, or a channel, of a fact that an agent has saved, once however often it is called.
 *
 * @param typed How commands are typed there.
 * @throws PlatformError
 */
export async function tellSave(
  platform: Platform,
  place: { readonly channelId: string; readonly threadId: string | null },
  { id, index, text }: Pick<MemoryEntry, 'id' | 'index' | 'text'>,
  typed: Typed,
): Promise<void> {
  const markdown = `🧠 Claude saved a channel memory: ${code(text)}\nRemove it with ${typed(`memory forget ${index}`)}.`;
  for (const [piece, part] of platform.split(markdown).entries()) {
    await platform.post({ ...place, markdown: part, key: `memory:${id}:${piece}` });
  }
}
