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
export { decodeCharset, decodeEncodedWords } from './headers/decode.ts';
export { identifierField, type Mailbox, mailboxField, textField, tokensField } from './headers/fields.ts';
export { HeaderField } from './headers/header-field.ts';
export { dateField, formatDate, messageIdField } from './headers/origin.ts';
export { parameterField } from './headers/parameters.ts';
export { assertSafeValue, HeaderError, type HeaderFault } from './headers/values.ts';
export { decodeBase64, encodeBase64Lines } from './mime/base64.ts';
export {
  type CompiledMessage,
  compileMessage,
  type ExtraField,
  type MessageSource,
  messageBytes,
  type RenderedMessage,
  type Rendering,
} from './mime/message.ts';
export { decodeQuotedPrintable, quotedPrintable } from './mime/qp.ts';
export {
  fill,
  type Hole,
  type HoleValues,
  hole,
  holesOf,
  MissingValueError,
  type Template,
} from './mime/template.ts';
export type { ReportAction, ReportKind, ReportRecipient } from './reports/kinds.ts';
export { parseReport, type Report, type ReportOptions } from './reports/report.ts';
export type { Capabilities } from './smtp/capabilities.ts';
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
  type StreamTarget,
  type TlsPolicy,
} from './smtp/connect.ts';
export type { LossStage, ReplyStage, SendOutcome } from './smtp/outcome.ts';
export { type PoolOutcome, type SmtpPool, type SmtpPoolOptions, smtpPool } from './smtp/pool.ts';
export type { RelayHealth, RelayOptions } from './smtp/relay.ts';
export type { Reply } from './smtp/reply.ts';
export type { OutgoingMail, SmtpSession } from './smtp/session.ts';
export { DEFAULT_TIMEOUTS, type SmtpTimeouts } from './smtp/timeouts.ts';
export { createVerp, type Verp } from './verp.ts';
