import type { Clock, Random } from '@postern/kit';
import { z } from 'zod';
import { PlatformError } from '../platform.ts';
import { isMattermostId, type ServerAddress, serverAddress } from './address.ts';
import { type MattermostApi, mattermostApi, Refusal } from './api.ts';
import { usualPauses } from './connection.ts';
import { type Directory, directory, orNull } from './directory.ts';
import { SENTENCES } from './introduction.ts';
import { openSocket } from './socket.ts';
import { wireChannel } from './wire.ts';

/** One thing that was looked at; what follows one that failed is not looked at any more. */
export interface PlatformCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Sentences for an operator, without secrets; there when it is not ok. */
  readonly problem?: string;
  readonly remedy?: string;
}

export interface MattermostCredentials {
  readonly url: string;
  readonly token: string;
  readonly channelId: string;
}

export interface CheckOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;

class Failed extends Error {
  readonly problem: string;
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** Whether a bot could work with these settings: server, token, channel, membership and live connection, in turn. */
export async function checkMattermost(
  { url, token, channelId }: MattermostCredentials,
  { clock, random, signal = new AbortController().signal, deadlineMs = DEADLINE_MS }: CheckOptions,
): Promise<PlatformCheck[]> {
  const checks: PlatformCheck[] = [];
  const look = async <Value>(name: string, run: () => Promise<Value>): Promise<Value> => {
    try {
      const value = await run();
      checks.push({ name, ok: true });
      return value;
    } catch (error) {
      const failed = error instanceof Failed ? error : unexpected(error);
      checks.push({ name, ok: false, problem: failed.problem, remedy: failed.remedy });
      throw failed;
    }
  };
  try {
    const address = await look('url', async () => readAddress(url));
    const api = mattermostApi({ address, token, clock, random, deadlineMs });
    const people = directory(api, clock);
    await look('server', () => findServer(api, signal));
    const self = await look('token', () => findSelf(people, signal));
    await look('channel', () => findChannel(api, channelId, signal));
    await look('membership', async () => {
      if (!(await people.isMember(channelId, self.id))) {
        throw new Failed(
          `@${self.name} is not a member of the channel.`,
          `Write /invite @${self.name} in the channel.`,
        );
      }
    });
    await look('connection', async () => {
      const url = address.webSocket;
      const socket = await openSocket({ url, token, clock, signal, ...usualPauses, helloMs: deadlineMs });
      socket.close();
    });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
  }
  return checks;
}

function readAddress(url: string): ServerAddress {
  try {
    return serverAddress(url);
  } catch (error) {
    throw new Failed(
      error instanceof Error ? error.message : 'The url cannot be read.',
      "Set url to the server's own address, such as https://chat.example.com, without team or channel.",
    );
  }
}

async function findServer(api: MattermostApi, signal: AbortSignal): Promise<void> {
  const remedy =
    "Set url to the server's own address, such as https://chat.example.com, without team or channel.";
  try {
    const schema = z.object({ status: z.string() });
    await api.call({ name: 'ask the server', path: '/system/ping', schema, signal });
  } catch (error) {
    if (error instanceof PlatformError && (error.code === 'unavailable' || error.code === 'unknown'))
      throw error;
    throw new Failed('The address answers, but not as a Mattermost server does.', remedy);
  }
}

async function findSelf(people: Directory, signal: AbortSignal) {
  try {
    return await people.self(signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Failed(
      'The server refuses the token.',
      'Make an access token for the bot account (Integrations, Bot Accounts) and check that bot accounts are switched on.',
    );
  }
}

async function findChannel(api: MattermostApi, channelId: string, signal: AbortSignal): Promise<void> {
  if (!isMattermostId(channelId)) {
    throw new Failed(
      'channelId is no id of a channel: it has 26 lower-case letters and digits.',
      "Open the channel's menu, View Info, and copy the id at its end; it is not the channel's name.",
    );
  }
  const path = `/channels/${channelId}`;
  const channel = await orNull(api.call({ name: 'read the channel', path, schema: wireChannel, signal }));
  if (channel === null) throw new Failed('The bot sees no channel of this channelId.', SENTENCES.channel);
  if (channel.delete_at > 0) throw new Failed('The channel is archived.', SENTENCES.archived);
}

function unexpected(error: unknown): Failed {
  const reason = error instanceof PlatformError ? error.message : 'it failed in an unexpected way';
  const hint = /CERT|SIGNATURE|ISSUER/.test(reason)
    ? 'The certificate of the server is not trusted: start Postern with NODE_EXTRA_CA_CERTS naming the file of its authority.'
    : 'Check the address, that the server runs, and that a proxy in between lets WebSockets through.';
  return new Failed(`The server could not be reached: ${reason}.`, hint);
}
