import { expect, test } from 'vitest';
import type { ContractTools } from './tools.ts';

/** What the connector says of itself: to `/readyz`, `doctor` and the console. */
export function healthContract({ traits, prepare, start }: ContractTools): void {
  test('it is well while it runs, and not when it has been stopped', async () => {
    const { process } = await start();
    expect(process.inbox.health()).toMatchObject([{ source: process.connector.source, status: 'ok' }]);
    await process.stop();
    expect(process.inbox.health()).toMatchObject([{ status: 'down' }]);
  });

  test('a platform that cannot be reached is said, in a sentence, and so is its coming back', async () => {
    const { harness, process } = await start();
    await harness.goOffline();
    const { detail } = await process.untilHealth((status) => status === 'down' || status === 'degraded');
    expect(detail).toMatch(/\S/);
    await harness.goOnline();
    await process.untilHealth((status) => status === 'ok');
    expect(process.inbox.health()).toMatchObject([{ status: 'ok' }]);
  });

  test('it starts while the platform cannot be reached, and is well once it can', async () => {
    const { harness, home } = await prepare();
    await harness.goOffline();
    const process = await home.start();
    await process.untilHealth((status) => status === 'down' || status === 'degraded');
    await harness.goOnline();
    await process.untilHealth((status) => status === 'ok');
    expect(process.inbox.health()).toMatchObject([{ status: 'ok' }]);
  });

  test('it stops at once, whatever it is doing', async () => {
    const { harness, process } = await start();
    await harness.goOffline();
    await process.stop();
    expect(process.inbox.health()).toMatchObject([{ status: 'down' }]);
  });

  test('what it declares of itself holds', async () => {
    const { harness } = await prepare();
    const { capabilities, account, source, typing, self } = harness.connect();
    expect(capabilities.text.limit).toBeGreaterThan(0);
    expect(capabilities.typing).toBe(typing !== undefined);
    expect(capabilities.replies).toBe(traits.replies);
    expect(capabilities.attachments.maxCount > 0).toBe(traits.files);
    for (const name of [account, source, self.id, self.displayName]) expect(name).toMatch(/\S/);
  });
}
