import { checkDiscord as tryDiscord } from '@postern/inbox';
import type { Config } from '../config/load.ts';
import { type Finding, failed, ok } from './check.ts';

/** Checks of the inbox's Discord connector; none when it is not configured. */
export async function checkDiscord({ inbox }: Config): Promise<Finding[]> {
  const { discord } = inbox.connectors;
  if (!discord) return [];
  const checks = await tryDiscord(discord);
  return checks.map(({ name, ok: isOk, message, remedy }) =>
    isOk
      ? ok(`discord.${name}`, message)
      : failed(`discord.${name}`, message, remedy ?? 'See the documentation of the connector'),
  );
}
