/**
 * The bytes behind a link to a file that Discord gave with a message. The link itself is the credential, so nothing of
 * the account goes along, and it leads to where it says or nowhere.
 */
export async function fetchBytes(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const answer = await fetch(url, { signal, redirect: 'error' });
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`the file's link answered ${answer.status}`);
  }
  return answer.body;
}
