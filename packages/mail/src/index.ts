export {
  ADDRESS_FAULTS,
  type Address,
  type AddressFault,
  needsSmtpUtf8,
  type ParsedAddress,
  parseAddress,
  parseDomain,
} from './addresses.ts';
export { DkimKeyError, type DkimRecord, dkimRecord, generateDkimKey } from './dkim/keys.ts';
export { createDkimSigner, type DkimSigner, SIGNED_FIELDS } from './dkim/sign.ts';
export { identifierField, type Mailbox } from './headers/fields.ts';
export { HeaderError, type HeaderFault } from './headers/values.ts';
export {
  type CompiledMessage,
  compileMessage,
  type ExtraField,
  type MessageSource,
  messageBytes,
  type RenderedMessage,
  type Rendering,
} from './mime/message.ts';
export { type Hole, type HoleValues, hole, MissingValueError, type Template } from './mime/template.ts';
export {
  type Classification,
  classifyOutcome,
  classifyRefusal,
  type OutcomeClass,
  type Refusal,
} from './smtp/classify.ts';
export {
  connectSmtp,
  SmtpConnectError,
  type SmtpConnectFault,
  type SmtpOptions,
  type TlsPolicy,
} from './smtp/connect.ts';
export type { LossStage, ReplyStage, SendOutcome } from './smtp/outcome.ts';
export { type PoolOutcome, type SmtpPool, type SmtpPoolOptions, smtpPool } from './smtp/pool.ts';
export type { RelayHealth, RelayOptions } from './smtp/relay.ts';
export type { OutgoingMail, SmtpSession } from './smtp/session.ts';
