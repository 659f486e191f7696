import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

test('who has been idle the longest gives way', async () => {
  const slots = createSlots(2);
  const gaveWay: string[] = [];
  const idle = (holder: string) =>
    slots.offer(holder, async () => {
      gaveWay.push(holder);
      slots.free(holder);
      return true;
    });
  slots.take('a');
  slots.take('b');
  idle('a');
  idle('b');
  slots.keep('a');
  idle('a');
  expect(await slots.takeOrMakeRoom('c')).toBe(true);
  expect(gaveWay).toEqual(['b']);
  expect(slots.taken).toBe(2);
});

test('whom nobody follows gives way before those that people talk to', async () => {
  const slots = createSlots(2);
  const gaveWay: string[] = [];
  for (const holder of ['person', 'routine']) {
    slots.take(holder);
    const giveWay = async () => {
      gaveWay.push(holder);
      slots.free(holder);
      return true;
    };
    slots.offer(holder, giveWay, { isUnattended: holder === 'routine' });
  }
  expect(await slots.takeOrMakeRoom('next')).toBe(true);
  expect(await slots.takeOrMakeRoom('another')).toBe(true);
  expect(gaveWay).toEqual(['routine', 'person']);
});

test('nobody gives way who is at work, or turns out to be', async () => {
  const slots = createSlots(2);
  slots.take('a');
  slots.take('b');
  slots.offer('a', async () => false);
  expect(await slots.takeOrMakeRoom('c')).toBe(false);
});

test('of several who ask at once no two get the same place', async () => {
  const slots = createSlots(1);
  slots.take('a');
  slots.offer('a', async () => {
    await Promise.resolve();
    slots.free('a');
    return true;
  });
  const got = await Promise.all(['b', 'c', 'd'].map((holder) => slots.takeOrMakeRoom(holder)));
  expect(got.filter(Boolean)).toHaveLength(1);
});

test('who waits is called when another is idle, and not before', () => {
  const slots = createSlots(1);
  let calls = 0;
  slots.take('a');
  slots.whenFree('b', () => {
    calls += 1;
  });
  expect(calls).toBe(0);
  slots.offer('a', async () => true);
  expect(calls).toBe(1);
});
