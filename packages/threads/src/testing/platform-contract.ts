import { describe } from 'vitest';
import { eventsContract } from './contract/events.ts';
import { filesContract } from './contract/files.ts';
import { gapsContract } from './contract/gaps.ts';
import { linksContract } from './contract/links.ts';
import { peopleContract } from './contract/people.ts';
import { postingContract } from './contract/posting.ts';
import { reactionsContract } from './contract/reactions.ts';
import { readingContract } from './contract/reading.ts';
import { type MakeHarness, tools } from './contract/tools.ts';
import type { HarnessTraits } from './platform-harness.ts';

/**
 * What every platform does, whatever is behind it. The tests act as people on the server and look at what the
 * platform makes of it, and the other way round.
 *
 * @param makeHarness A server of its own for each test; it is stopped with the test.
 */
export function describePlatform(name: string, makeHarness: MakeHarness, traits: HarnessTraits): void {
  const suite = tools(makeHarness, traits);
  describe(`platform ${name}`, () => {
    describe('posting', () => postingContract(suite));
    describe('reactions', () => reactionsContract(suite));
    describe('files', () => filesContract(suite));
    describe('reading', () => readingContract(suite));
    describe('people and channels', () => peopleContract(suite));
    describe('permalinks', () => linksContract(suite));
    describe('events', () => eventsContract(suite));
    describe('gaps', () => gapsContract(suite));
  });
}
