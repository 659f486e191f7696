import type { Connector, ConnectorHealth } from '../connector.ts';
import { SendError } from '../connector.ts';
import { type DiscordApi, DiscordError, openApi } from './api.ts';
import { fileFetcher } from './bytes.ts';
import { GatewayRefusal, runGateway } from './gateway.ts';
import { botIdOf, snowflakeOf } from './ids.ts';
import { Intake } from './intake.ts';
import { DEFAULT_PAUSES, type DiscordOptions } from './options.ts';
import { sendPart } from './send.ts';

/** Bounds of a message (Discord's documentation, Create Message); files of servers without boosts. */
const LONGEST_TEXT = 2_000;
const MOST_FILES = 10;
const LARGEST_FILE = 10 * 1_048_576;

const REFUSED_TOKEN =
  'Discord refuses the bot token; set inbox.connectors.discord.token to the one of the Developer Portal';

/** A bot of Discord's as a platform of the inbox. Nothing is loaded or called before it runs or sends. */
export function discordConnector(options: DiscordOptions): Connector {
  const { clock, log, token } = options;
  const pauses = { ...DEFAULT_PAUSES, ...options.pauses };
  const botId = botIdOf(token);
  let self = { id: botId ?? 'bot', displayName: 'Postern' };
  let connection: ConnectorHealth = { status: 'starting' };
  let refusedSend: string | null = null;
  let intake: Intake | null = null;
  let opening: Promise<DiscordApi> | undefined;
  const api = () => {
    opening ??= openApi(options);
    return opening;
  };

  /** Keeps the gateway up for as long as the signal lets it; only what comes in can end it before. */
  async function keepConnected(intake: Intake, signal: AbortSignal): Promise<void> {
    let pause = pauses.firstMs;
    const listener = {
      ready(data: unknown, shard: number) {
        connection = { status: 'ok' };
        pause = pauses.firstMs;
        intake.ready(data, shard);
      },
      resumed() {
        connection = { status: 'ok' };
      },
      event: (type: string, data: unknown, shard: number) => intake.event(type, data, shard),
      lost() {
        connection = { status: 'down', detail: 'The connection to Discord broke; it is being made again' };
      },
    };
    const { identifyMs, sessionMs } = pauses;
    while (!signal.aborted) {
      try {
        await runGateway({ api: await api(), token, clock, log, identifyMs, sessionMs }, listener, signal);
      } catch (error) {
        if (signal.aborted) return;
        const refusal = refusalOf(error);
        connection = { status: 'down', detail: refusal ?? 'Discord cannot be reached; trying again' };
        log.warn({ err: error }, refusal ?? 'Discord cannot be reached');
        await clock.sleep(refusal === null ? pause : pauses.refusedMs, signal);
        pause = Math.min(pause * 2, pauses.longestMs);
      }
    }
  }

  return {
    source: 'discord',
    // One bot is configured, so one name is enough for a token that does not tell whose it is.
    account: botId ?? 'bot',
    get self() {
      return self;
    },
    capabilities: {
      text: { limit: LONGEST_TEXT, unit: 'utf16' },
      attachments: { maxCount: MOST_FILES, maxBytes: LARGEST_FILE },
      typing: true,
      replies: true,
    },

    async run(cursor, sink, signal) {
      const over = new AbortController();
      const ended = AbortSignal.any([signal, over.signal]);
      connection = { status: 'starting' };
      const means = {
        api: await api(),
        sink,
        clock,
        log,
        pauses,
        channels: options.channels,
        fetchBytes: fileFetcher(clock, pauses),
        onSelf(found: typeof self) {
          self = found;
        },
      };
      const running = await Intake.open(means, cursor, ended);
      intake = running;
      const connected = keepConnected(running, ended);
      try {
        await Promise.race([running.run(), connected]);
      } finally {
        over.abort();
        await Promise.allSettled([connected, running.settled()]);
        intake = null;
        connection = { status: 'down', detail: 'not running' };
      }
    },

    async send(part, signal) {
      try {
        const sent = await sendPart(api, part, { clock, signal });
        refusedSend = null;
        return sent;
      } catch (error) {
        if (error instanceof SendError && error.kind === 'auth') {
          refusedSend = `The last send was refused. ${error.message}`;
        }
        throw error;
      }
    },

    async typing(channelId, signal) {
      const target = snowflakeOf(channelId);
      if (target) await (await api()).typing(target.snowflake, signal);
    },

    health() {
      if (connection.status !== 'ok') return connection;
      const trouble = refusedSend ?? intake?.trouble ?? null;
      if (trouble !== null) return { status: 'degraded', detail: trouble };
      const left = intake?.left ?? 0;
      if (left > 0)
        return { status: 'starting', detail: `Reading what was missed; ${left} channels are left` };
      return connection;
    },
  };
}

/** Why Discord will go on refusing, for the operator; null when trying again may help. */
function refusalOf(error: unknown): string | null {
  if (error instanceof GatewayRefusal) return error.message;
  return error instanceof DiscordError && error.trouble === 'auth' ? REFUSED_TOKEN : isAuthAnswer(error);
}

/** The gateway's address is asked for by the library itself, past our own errors. */
function isAuthAnswer(error: unknown): string | null {
  return (error as { status?: unknown } | null)?.status === 401 ? REFUSED_TOKEN : null;
}
