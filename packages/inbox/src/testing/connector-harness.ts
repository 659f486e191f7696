import type { Connector } from '../connectors/connector.ts';

/**
 * What the contract suite needs of a connector under test: its platform, some people there, a way to act as them and
 * to see what they see, and the faults that the platform can show. Acting and seeing go past the {@link Connector}.
 */
export interface ConnectorHarness {
  /**
   * The connector as a new process has it, on the same account at the same platform. Its own waits (polling,
   * reconnecting, trying again) are short. The caller has ended the run of the one before.
   */
  connect(): Connector;
  /** Channels as envelopes name them; the connector hears both. Ana writes in the direct one, ana and ben in the other. */
  readonly group: string;
  readonly direct: string;
  readonly ana: HarnessPerson;
  readonly ben: HarnessPerson;

  /** Someone writes. @returns the platform's id of the message, as the connector gives it to the sink. */
  say(
    person: HarnessPerson,
    text: string,
    where?: {
      /** The group unless said otherwise. */
      readonly channelId?: string;
      /** Platform id of the message that is answered. */
      readonly replyTo?: string;
      readonly files?: readonly HarnessFile[];
    },
  ): Promise<string>;
  /** Whoever wrote it changes it; there where {@link ConnectorTraits.edits} says so. */
  edit?(platformId: string, text: string): Promise<void>;
  /** Whoever wrote it takes it back; there where {@link ConnectorTraits.deletes} says so. */
  delete?(platformId: string): Promise<void>;
  /** What the account has sent to a channel as the platform keeps it, oldest first. */
  sent(channelId: string): Promise<SentMessage[]>;
  /** Whether a text, as the platform keeps it, rings for everybody. */
  ringsForAll(message: SentMessage): boolean;

  /** The platform cannot be reached until {@link goOnline}. People go on meanwhile. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** Those that {@link ConnectorTraits.faults} names are there. */
  readonly faults: ConnectorFaults;
  stop(): Promise<void>;
}

export interface HarnessPerson {
  /** The immutable id, as envelopes have it. */
  readonly id: string;
  readonly displayName: string;
}

export interface HarnessFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface SentMessage {
  readonly platformId: string;
  readonly text: string;
  /** Platform id of the message it answers. */
  readonly replyTo: string | null;
  readonly files: readonly HarnessFile[];
}

export interface ConnectorFaults {
  /** The platform refuses the credentials of the next send. */
  refuseCredentialsOfNextSend?(): void;
  /** The platform says no to the next send, whatever is tried, and nothing is there. */
  refuseNextSend?(): void;
  /** The next send arrives, and its answer is lost on the way. */
  loseAnswerOfNextSend?(): void;
  /** The next file that somebody sends cannot be fetched. */
  loseNextFile?(): void;
  /** Ends what is connected; a new connection is taken at once. */
  dropConnections?(): void;
  /** The next live event comes twice. */
  repeatNextEvent?(): void;
  /** The next two live events come in the wrong order. */
  swapNextEvents?(): void;
}

export interface ConnectorTraits {
  /** Whether people at this platform can change, or take back, what they wrote. */
  readonly edits: boolean;
  readonly deletes: boolean;
  /** Whether the account's messages say what they answer. */
  readonly replies: boolean;
  /** Whether people's files come in, and the hub's go out. */
  readonly files: boolean;
  /** Whether the first start of all takes in what was written before it. */
  readonly history: boolean;
  /** Messages of one gap, enough for several pages. */
  readonly missed: number;
  /** What this platform can show; tests of what it cannot are not there. */
  readonly faults: readonly (keyof ConnectorFaults)[];
}
