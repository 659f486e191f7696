import {
  type Connector,
  discordConnector,
  imessageConnector,
  imessageSettings,
  localConnector,
} from '@postern/inbox';
import type { Clock } from '@postern/kit';
import type { ChatService } from '@postern/local-chat';
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import { Secret } from '../secrets/secret.ts';

/** The inbox's connectors, as they are configured; none runs before the inbox starts. */
export function inboxConnectors(
  { inbox }: Config,
  { chat, clock, log }: { chat: ChatService; clock: Clock; log: Logger },
): Connector[] {
  const { local, discord } = inbox.connectors;
  const imessage = imessageSettings(inbox.connectors.imessage);
  if (imessage.off !== null && inbox.connectors.imessage.enabled) log.warn(imessage.off);
  return [
    ...(local.enabled ? [localConnector(chat.port(), clock)] : []),
    ...(discord ? [discordConnector({ ...discord, clock, log })] : []),
    ...(imessage.off === null ? [imessageConnector(imessage.settings, clock)] : []),
  ];
}

/** Tokens of platforms, for the log to blank. */
export function connectorSecrets({ inbox }: Config): Secret[] {
  const { discord } = inbox.connectors;
  return discord ? [new Secret(discord.token)] : [];
}
