import { onTestFinished, test } from 'vitest';
import type { ConnectorFaults, ConnectorHarness, ConnectorTraits } from '../connector-harness.ts';
import { type ContractHome, type ContractProcess, contractHome } from './process.ts';

export type MakeHarness = () => Promise<ConnectorHarness>;

/** What the parts of the contract suite are written with. */
export interface ContractTools {
  readonly traits: ConnectorTraits;
  /** A platform and a database for this test; nothing runs yet. */
  prepare(allowedDirs?: readonly string[]): Promise<{ harness: ConnectorHarness; home: ContractHome }>;
  /** The same with a first process, whose connector is well. */
  start(allowedDirs?: readonly string[]): Promise<Started>;
  /** A test that is there only where the platform can show the fault. */
  testFault(fault: keyof ConnectorFaults, name: string, body: () => Promise<void>): void;
}

export interface Started {
  readonly harness: ConnectorHarness;
  readonly home: ContractHome;
  readonly process: ContractProcess;
}

export function tools(makeHarness: MakeHarness, traits: ConnectorTraits): ContractTools {
  const prepare: ContractTools['prepare'] = async (allowedDirs) => {
    const harness = await makeHarness();
    onTestFinished(() => harness.stop());
    return { harness, home: await contractHome(harness, allowedDirs) };
  };
  return {
    traits,
    prepare,
    async start(allowedDirs) {
      const { harness, home } = await prepare(allowedDirs);
      return { harness, home, process: await startWell(home) };
    },
    testFault(fault, name, body) {
      if (traits.faults.includes(fault)) test(name, body);
    },
  };
}

/** A process whose connector says that it is well: what is written from now on is heard. */
export async function startWell(home: ContractHome): Promise<ContractProcess> {
  const process = await home.start();
  await process.untilHealth((status) => status === 'ok');
  return process;
}

/** Numbered texts, as long as the numbers are the same. */
export function numbered(count: number, word = 'message'): string[] {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);
}

export async function sayAll(harness: ConnectorHarness, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) ids.push(await harness.say(harness.ana, text));
  return ids;
}
