import { describe } from 'vitest';
import type { ConnectorTraits } from './connector-harness.ts';
import { healthContract } from './contract/health.ts';
import { inboundContract } from './contract/inbound.ts';
import { outboundContract } from './contract/outbound.ts';
import { restartContract } from './contract/restart.ts';
import { type MakeHarness, tools } from './contract/tools.ts';

/**
 * What every connector does, whatever is behind it. The tests act as people at the platform and look at what the
 * inbox makes of it, and the other way round; between them are the real runner, sink and database.
 *
 * @param makeHarness A platform of its own for each test; it is stopped with the test.
 */
export function describeConnector(name: string, makeHarness: MakeHarness, traits: ConnectorTraits): void {
  const suite = tools(makeHarness, traits);
  describe(`connector ${name}`, () => {
    describe('inbound', () => inboundContract(suite));
    describe('outbound', () => outboundContract(suite));
    describe('restart', () => restartContract(suite));
    describe('health', () => healthContract(suite));
  });
}
