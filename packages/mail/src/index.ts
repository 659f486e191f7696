export {
  ADDRESS_FAULTS,
  type Address,
  type AddressFault,
  needsSmtpUtf8,
  type ParsedAddress,
  parseAddress,
  parseDomain,
} from './addresses.ts';
