import { imessageSettings, checkIMessage as tryIMessage } from '@postern/inbox';
import { systemClock } from '@postern/kit';
import type { Config } from '../config/load.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** Checks of the inbox's iMessage connector; none when it is not enabled. */
export async function checkIMessage({ inbox }: Config): Promise<Finding[]> {
  const { imessage } = inbox.connectors;
  if (!imessage.enabled) return [];
  const { settings, off } = imessageSettings(imessage);
  if (off !== null)
    return [warning('imessage', off, 'Run Postern on a Mac, or switch inbox.connectors.imessage off')];
  const checks = await tryIMessage(settings, systemClock);
  return checks.map(({ name, ok: isOk, message, remedy }) =>
    isOk
      ? ok(`imessage.${name}`, message)
      : failed(`imessage.${name}`, message, remedy ?? 'See docs/imessage.md'),
  );
}
