import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server that knows what a test tells it (RFC 1035, section 4). */

export interface FakeDns {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Sets the TXT or MX records of a name; an MX value is `priority host`. No values: the name is unknown. */
  set(type: 'TXT' | 'MX', name: string, ...values: string[]): void;
  /** `servfail` answers with an error, `silent` not at all. */
  mode: 'answer' | 'servfail' | 'silent';
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, 'TXT' | 'MX'>> = { 15: 'MX', 16: 'TXT' };
const NXDOMAIN = 3;
const SERVFAIL = 2;

export async function fakeDns(): Promise<FakeDns> {
  const records = new Map<string, string[]>();
  const socket = createSocket('udp4');
  const server: FakeDns = {
    address: '',
    mode: 'answer',
    set: (type, name, ...values) => void records.set(`${type} ${name.toLowerCase()}`, values),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (query, peer) => {
    if (server.mode === 'silent') return;
    const { name, end } = readName(query, 12);
    const typeNumber = query.readUInt16BE(end);
    const type = TYPES[typeNumber];
    const values = (type && records.get(`${type} ${name.toLowerCase()}`)) ?? [];
    const code = server.mode === 'servfail' ? SERVFAIL : values.length === 0 ? NXDOMAIN : 0;
    const answers = code === 0 ? values.map((value) => answer(typeNumber, value)) : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8580 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...answers]), peer.port, peer.address);
  });
  socket.unref();
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return Object.assign(server, { address: `127.0.0.1:${socket.address().port}` });
}

function readName(packet: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = packet.readUInt8(at); length > 0; length = packet.readUInt8(at)) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function answer(type: number, value: string): Buffer {
  const data = TYPES[type] === 'MX' ? mxData(value) : txtData(value);
  // A pointer to the name in the question, class IN, 60 seconds.
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function txtData(value: string): Buffer {
  const strings = value.match(/.{1,255}/gs) ?? [''];
  return Buffer.concat(strings.map((text) => Buffer.from(String.fromCharCode(text.length) + text, 'latin1')));
}

function mxData(value: string): Buffer {
  const [priority, host = ''] = value.split(' ');
  const labels = host.split('.').map((label) => String.fromCharCode(label.length) + label);
  const number = Buffer.alloc(2);
  number.writeUInt16BE(Number(priority));
  return Buffer.concat([number, Buffer.from(`${labels.join('')}\0`, 'latin1')]);
}
