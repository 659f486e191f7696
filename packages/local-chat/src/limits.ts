/** Every bound of the local chat, by name. Lengths of text are UTF-16 code units. */
export interface ChatLimits {
  /** Longest text of a message. */
  readonly textLength: number;
  /** Longest name of a person or a file. */
  readonly nameLength: number;
  readonly attachmentsPerMessage: number;
  /** Bytes of one attachment, decoded. */
  readonly attachmentBytes: number;
  /** Bytes of a request that carries a message with its attachments in base64. */
  readonly messageBodyBytes: number;
  readonly channels: number;
  /** Members one POST /channels may name. */
  readonly membersPerRequest: number;
  readonly membersPerChannel: number;
  /** Reactions of all people and emoji together on one message. */
  readonly reactionsPerMessage: number;
  /** Newest entries of the event log that are kept; what is older is answered from the messages. */
  readonly eventsKept: number;
  /** Clients of the event stream at one time in one process. */
  readonly streams: number;
  /** Bytes waiting for one client of the event stream. */
  readonly streamBufferBytes: number;
  /** Between two heartbeats of the event stream. A client that takes nothing for two of them is dropped. */
  readonly heartbeatMilliseconds: number;
}

const MEBIBYTE = 1_048_576;

export const defaultChatLimits: ChatLimits = {
  textLength: 16_000,
  nameLength: 200,
  attachmentsPerMessage: 10,
  attachmentBytes: 25 * MEBIBYTE,
  messageBodyBytes: 40 * MEBIBYTE,
  channels: 1_000,
  membersPerRequest: 100,
  membersPerChannel: 1_000,
  reactionsPerMessage: 1_000,
  eventsKept: 100_000,
  streams: 100,
  streamBufferBytes: 256 * 1_024,
  heartbeatMilliseconds: 15_000,
};
