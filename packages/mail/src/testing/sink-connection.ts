import type { Socket } from 'node:net';
import { unstuff } from '../smtp/data.ts';
import { secureServerSide } from './certificate.ts';
import type { SinkAction, SinkStage } from './sink-script.ts';
import type { SinkState } from './sink-state.ts';

/** One connection of the sink: commands and messages out of bytes, replies into bytes. */

type Mode = 'command' | 'body' | 'auth' | 'ended';

const END_OF_DATA = Buffer.from('\r\n.\r\n');

export class SinkConnection {
  readonly #sink: SinkState;
  readonly #number: number;
  #socket: Socket;
  #mode: Mode = 'command';
  /** Octets of a command that has no end yet. */
  #rest = '';
  #transaction = 0;
  #from = '';
  #to: string[] = [];
  #mailCommand = '';
  /** The message so far; the line break before it stands for that of the DATA command. */
  #body: Buffer[] = [];
  #bodyOctets = 0;
  #bodyTail: Buffer = Buffer.alloc(0);
  #authSteps: string[] = [];
  /** Replies of this turn, written at once. */
  #outgoing = '';
  #secured = false;

  constructor(sink: SinkState, socket: Socket, number: number) {
    this.#sink = sink;
    this.#number = number;
    this.#socket = socket;
    this.#listen(socket);
    this.#act('connect', '', '220 sink.example ESMTP');
    this.#flush();
  }

  say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  readonly #receive = (chunk: Buffer): void => {
    let rest: Buffer | undefined = chunk;
    while (rest !== undefined && rest.length > 0 && this.#mode !== 'ended') {
      rest = this.#mode === 'body' ? this.#readBody(rest) : this.#readCommands(rest);
    }
    this.#flush();
  };

  /** Handles the command lines in a chunk; gives back what is not commands. */
  #readCommands(chunk: Buffer): Buffer | undefined {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = (this.#rest + chunk.toString('utf8', start, end)).replace(/\r$/, '');
      this.#rest = '';
      start = end + 1;
      if (this.#mode === 'auth') this.#authStep(line);
      else this.#command(line);
      if (this.#mode === 'body' || this.#mode === 'ended') return chunk.subarray(start);
    }
    this.#rest += chunk.toString('utf8', start);
    return undefined;
  }

  #command(line: string): void {
    this.#sink.command(this.#number, line);
    const [, verb = '', argument = ''] = /^(\S*)\s*(.*)$/.exec(line) ?? [];
    switch (verb.toUpperCase()) {
      case 'EHLO':
        this.#act('ehlo', line, this.#greeting());
        break;
      case 'HELO':
        this.#act('ehlo', line, '250 sink.example');
        break;
      case 'MAIL':
        this.#mail(line, argument);
        break;
      case 'RCPT':
        this.#rcpt(line, argument);
        break;
      case 'DATA':
        this.#data(line);
        break;
      case 'RSET':
        this.#act('rset', line, '250 2.0.0 ok');
        this.#clear();
        break;
      case 'STARTTLS':
        this.#startTls(line);
        break;
      case 'AUTH':
        this.#auth(line, argument);
        break;
      case 'QUIT':
        this.#act('quit', line, { reply: '221 2.0.0 bye', drop: true });
        break;
      case 'NOOP':
        this.#reply('250 2.0.0 ok');
        break;
      default:
        this.#reply('500 5.5.2 unknown command');
    }
  }

  #greeting(): string {
    const { extensions } = this.#sink;
    const offers = ['sink.example'];
    if (extensions.pipelining) offers.push('PIPELINING');
    if (extensions.size !== null) offers.push(`SIZE ${extensions.size}`);
    if (extensions.startTls && !this.#secured) offers.push('STARTTLS');
    if (extensions.auth !== null) offers.push('AUTH PLAIN LOGIN');
    if (extensions.enhancedStatusCodes) offers.push('ENHANCEDSTATUSCODES');
    if (extensions.eightBitMime) offers.push('8BITMIME');
    if (extensions.smtpUtf8) offers.push('SMTPUTF8');
    return offers.map((offer, index) => `250${index < offers.length - 1 ? '-' : ' '}${offer}`).join('\r\n');
  }

  #mail(line: string, argument: string): void {
    if (this.#from !== '') {
      this.#reply('503 5.5.1 a transaction is open');
      return;
    }
    this.#transaction += 1;
    const path = /^FROM:(<.*?>)/i.exec(argument)?.[1];
    const usual = path === undefined ? '501 5.5.4 malformed' : '250 2.1.0 ok';
    if (isPositive(this.#act('mail', line, usual))) {
      this.#from = path ?? '<>';
      this.#mailCommand = line;
    }
  }

  #rcpt(line: string, argument: string): void {
    const path = /^TO:<(.+)>/i.exec(argument)?.[1];
    const usual =
      this.#from === ''
        ? '503 5.5.1 MAIL first'
        : path === undefined
          ? '501 5.5.4 malformed'
          : '250 2.1.5 ok';
    if (isPositive(this.#act('rcpt', line, usual)) && path !== undefined) this.#to.push(path);
  }

  #data(line: string): void {
    const usual =
      this.#from === ''
        ? '503 5.5.1 MAIL first'
        : this.#to.length === 0
          ? '554 5.5.1 no valid recipients'
          : '354 go on';
    const reply = this.#act('data', line, usual);
    if (reply.startsWith('354') && this.#mode !== 'ended') {
      this.#mode = 'body';
      this.#body = [];
      this.#bodyOctets = 0;
      this.#bodyTail = Buffer.from('\r\n');
    }
  }

  /** Takes octets of a message; gives back what comes after its end. */
  #readBody(chunk: Buffer): Buffer | undefined {
    const window = Buffer.concat([this.#bodyTail, chunk]);
    const end = window.indexOf(END_OF_DATA);
    const taken = end === -1 ? chunk.length : end + 2 - this.#bodyTail.length;
    // Negative when the line break before the dot had come with an earlier chunk.
    const octets = taken >= 0 ? chunk.subarray(0, taken) : chunk.subarray(0, 0);
    if (this.#sink.keeps) this.#body.push(octets);
    this.#bodyOctets += taken;
    if (end === -1) {
      this.#bodyTail = Buffer.from(window.subarray(Math.max(0, window.length - 4)));
      this.#act('body', '', '');
      return undefined;
    }
    this.#mode = 'command';
    this.#endOfData();
    return window.subarray(end + END_OF_DATA.length);
  }

  #endOfData(): void {
    const usual = this.#to.length === 0 ? '554 5.5.1 no valid recipients' : '250 2.0.0 queued';
    let taken = false;
    const reply = this.#act('dot', '', usual, (action) => {
      taken = action.take ?? false;
    });
    if (taken || (isPositive(reply) && this.#to.length > 0)) {
      const data = unstuff(Buffer.concat(this.#body).subarray(0, this.#bodyOctets));
      const from = this.#from.slice(1, -1);
      const message = { connection: this.#number, from, to: this.#to, mailCommand: this.#mailCommand, data };
      this.#sink.received(message, this.#bodyOctets);
    }
    this.#clear();
  }

  #clear(): void {
    this.#from = '';
    this.#to = [];
    this.#body = [];
  }

  #startTls(line: string): void {
    if (!this.#sink.extensions.startTls || this.#secured) {
      this.#reply('502 5.5.1 not offered');
      return;
    }
    if (!this.#act('starttls', line, '220 2.0.0 go on').startsWith('220') || this.#mode === 'ended') return;
    this.#flush();
    this.#secured = true;
    this.#socket.off('data', this.#receive);
    this.#socket = secureServerSide(this.#socket);
    this.#rest = '';
    this.#listen(this.#socket);
  }

  #auth(line: string, argument: string): void {
    const [mechanism = '', initial] = argument.split(' ');
    const scripted = this.#act('auth', line, '');
    if (scripted !== '' || this.#mode === 'ended') return;
    this.#authSteps = [mechanism.toUpperCase()];
    if (initial !== undefined) this.#authStep(initial);
    else {
      this.#mode = 'auth';
      this.#reply('334 VXNlcm5hbWU6');
    }
  }

  #authStep(line: string): void {
    this.#authSteps.push(Buffer.from(line, 'base64').toString());
    const [mechanism, first = '', second] = this.#authSteps;
    if (mechanism === 'LOGIN' && second === undefined) {
      this.#mode = 'auth';
      this.#reply('334 UGFzc3dvcmQ6');
      return;
    }
    this.#mode = 'command';
    const [user, password] = mechanism === 'LOGIN' ? [first, second] : first.split('\0').slice(1);
    const { auth } = this.#sink.extensions;
    const right = auth !== null && user === auth.user && password === auth.password;
    this.#reply(right ? '235 2.7.0 welcome' : '535 5.7.8 wrong credentials');
  }

  /** Asks the script, does what it says or the usual, and gives the reply that was made; empty for none. */
  #act(
    stage: SinkStage,
    line: string,
    usual: string | SinkAction,
    onAction?: (action: SinkAction) => void,
  ): string {
    const scripted = this.#sink.script?.({
      stage,
      connection: this.#number,
      transaction: this.#transaction,
      line,
      from: this.#from.slice(1, -1),
      to: this.#to,
      octets: this.#bodyOctets,
    });
    const chosen = scripted ?? usual;
    const action: SinkAction = typeof chosen === 'string' ? { reply: chosen } : chosen;
    if (scripted !== undefined) onAction?.(action);
    const standard = typeof usual === 'string' ? usual : (usual.reply ?? '');
    const reply =
      action.silent || action.drop !== undefined || action.hang
        ? (action.reply ?? '')
        : (action.reply ?? standard);
    if (action.raw !== undefined) this.#outgoing += action.raw;
    else if (reply !== '') this.#reply(reply);
    if (action.hang === true) {
      this.#flush();
      this.#mode = 'ended';
      this.#socket.pause();
    }
    if (action.drop !== undefined && action.drop !== false) this.#drop(action.drop, reply !== '');
    return action.raw ?? reply;
  }

  #drop(how: true | 'reset', replied: boolean): void {
    this.#mode = 'ended';
    this.#flush(() => {
      if (how === 'reset') this.#socket.resetAndDestroy();
      else if (replied) this.#socket.end();
      else this.#socket.destroy();
    });
  }

  #reply(reply: string): void {
    this.#outgoing += `${reply}\r\n`;
  }

  /** Writes the replies of this turn, later if the server is far away; then does what comes after them. */
  #flush(after?: () => void): void {
    const reply = this.#outgoing;
    this.#outgoing = '';
    const write = () => {
      if (reply !== '') this.#write(reply);
      after?.();
    };
    if (this.#sink.delay === 0) write();
    else if (reply !== '' || after !== undefined) setTimeout(write, this.#sink.delay);
  }

  #write(reply: string): void {
    const { splitReplies } = this.#sink;
    if (splitReplies === 0) {
      this.#socket.write(reply);
      return;
    }
    const octets = Buffer.from(reply);
    const next = (from: number): void => {
      if (from >= octets.length || this.#socket.destroyed) return;
      this.#socket.write(octets.subarray(from, from + splitReplies));
      setImmediate(next, from + splitReplies);
    };
    next(0);
  }

  #listen(socket: Socket): void {
    socket.on('data', this.#receive);
    socket.on('error', () => undefined);
  }
}

function isPositive(reply: string): boolean {
  return reply.startsWith('2');
}
