import type { Person } from './platform.ts';

/** What set-up asks a platform before there is a configuration: who the bot is, which channel is meant, and who. */
export interface LookUp {
  /** Who the bot is. @throws PlatformError */
  self(): Promise<Person>;
  /**
   * Channels that a text names: an id, a link to the channel or to a post in it, or a name with or without `#`.
   * By name only those the bot is in. Several where several have the name. @throws PlatformError
   */
  channels(text: string): Promise<readonly NamedChannel[]>;
  /** Someone by name, id or mention form. @throws PlatformError */
  person(text: string): Promise<Person | null>;
}

export interface NamedChannel {
  readonly id: string;
  readonly name: string;
  /** The team it is in, where there is such a thing: tells channels of one name apart. */
  readonly team: string | null;
}
