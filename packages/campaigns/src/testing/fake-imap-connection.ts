import type { Socket } from 'node:net';
import type { FakeImap, FakeMail, FakeMailbox } from './fake-imap.ts';

/** One connection to the fake IMAP server: lines and literals in, answers out. */
export function connection(server: FakeImap, socket: Socket): void {
  let rest = Buffer.alloc(0);
  /** A line so far, while a literal of it is awaited. */
  let line = '';
  let literal = 0;
  let selected: string | null = null;
  let isLoggedIn = false;
  let idleTag: string | null = null;
  let authTag: string | null = null;

  const say = (text: string) => socket.write(`${text}\r\n`);
  const told = (mailbox: string) => {
    if (idleTag !== null && selected === mailbox) say(`* ${server.box(mailbox).mails.length} EXISTS`);
  };
  server.watchers.add(told);
  socket.on('close', () => server.watchers.delete(told));
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    read();
  });
  say(`* OK [CAPABILITY ${capabilities()}] ready`);

  function capabilities(): string {
    return ['IMAP4rev1', 'AUTH=PLAIN', ...server.extensions].join(' ');
  }

  function read(): void {
    for (;;) {
      if (literal > 0) {
        if (rest.length < literal) return;
        line += rest.toString('utf8', 0, literal);
        rest = rest.subarray(literal);
        literal = 0;
      }
      const end = rest.indexOf('\r\n');
      if (end === -1) return;
      const text = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 2);
      const octets = /\{(\d+)(\+?)\}$/.exec(text);
      if (octets) {
        line += text.slice(0, octets.index);
        literal = Number(octets[1]);
        if (octets[2] === '') say('+ go on');
        continue;
      }
      const whole = line + text;
      line = '';
      take(whole);
    }
  }

  function take(text: string): void {
    if (authTag !== null) {
      const tag = authTag;
      authTag = null;
      say(`${tag} ${authenticate(text)}`);
      return;
    }
    if (idleTag !== null) {
      say(`${idleTag} ${text.toUpperCase() === 'DONE' ? 'OK idled' : 'BAD DONE is what comes here'}`);
      idleTag = null;
      return;
    }
    const [, tag = '*', name = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(text) ?? [];
    const command = name.toUpperCase();
    server.commands.push(`${command} ${rest}`.trim());
    const fault = server.faults.get(command);
    if (fault === 'drop') socket.destroy();
    else if (fault === 'no') say(`${tag} NO not now`);
    else if (fault === undefined) {
      const reply = answer(tag, command, rest);
      if (reply !== null) say(`${tag} ${reply}`);
    }
    server.emit('command', command);
  }

  /** What is said after the tag; null when that comes later. */
  function answer(tag: string, command: string, rest: string): string | null {
    const words = wordsIn(rest);
    switch (command) {
      case 'CAPABILITY':
        say(`* CAPABILITY ${capabilities()}`);
        return 'OK done';
      case 'NOOP':
        return 'OK done';
      case 'LOGOUT':
        say('* BYE');
        return 'OK bye';
      case 'AUTHENTICATE':
        if (words[1] !== undefined) return authenticate(words[1]);
        authTag = tag;
        say('+ ');
        return null;
      case 'LOGIN':
        return logIn(words[0], words[1]);
      default:
        if (!isLoggedIn) return 'BAD log in first';
        return command.startsWith('UID ')
          ? withUids(command, words, rest)
          : withMailboxes(tag, command, words);
    }
  }

  function authenticate(text: string): string {
    const [, user, password] = Buffer.from(text, 'base64').toString('utf8').split('\0');
    return logIn(user, password);
  }

  function logIn(user: string | undefined, password: string | undefined): string {
    isLoggedIn = user === server.user && password === server.password;
    return isLoggedIn ? 'OK welcome' : 'NO [AUTHENTICATIONFAILED] wrong';
  }

  function withMailboxes(
    tag: string,
    command: string,
    [name = '', pattern = '']: readonly string[],
  ): string | null {
    switch (command) {
      case 'CREATE':
        if (server.mailboxes.has(name)) return 'NO [ALREADYEXISTS] there';
        server.mailboxes.set(name, { uidValidity: 1, uidNext: 1, mails: [] });
        return 'OK made';
      case 'LIST':
        if (pattern === '') say('* LIST (\\Noselect) "/" ""');
        else for (const mailbox of server.mailboxes.keys()) say(`* LIST () "/" "${mailbox}"`);
        return 'OK listed';
      case 'SELECT':
        return select(name);
      case 'IDLE':
        if (!server.extensions.includes('IDLE')) return 'BAD what?';
        idleTag = tag;
        say('+ idling');
        return null;
      default:
        return 'BAD unknown command';
    }
  }

  function select(name: string): string {
    const box = server.mailboxes.get(name);
    if (box === undefined) return 'NO [NONEXISTENT] no such mailbox';
    selected = name;
    say('* FLAGS (\\Seen \\Deleted)');
    say(`* ${box.mails.length} EXISTS`);
    say('* 0 RECENT');
    say(`* OK [UIDVALIDITY ${box.uidValidity}] so`);
    say(`* OK [UIDNEXT ${box.uidNext}] so`);
    say('* OK [PERMANENTFLAGS (\\Seen \\Deleted)] so');
    return 'OK [READ-WRITE] selected';
  }

  function withUids(command: string, words: readonly string[], rest: string): string {
    if (selected === null) return 'BAD nothing is selected';
    const box = server.box(selected);
    const mails = within(box, words[0] ?? '');
    switch (command) {
      case 'UID SEARCH': {
        const found = within(box, /UID (\S+)/i.exec(rest)?.[1] ?? '1:*');
        say(['* SEARCH', ...found.map(({ uid }) => uid)].join(' '));
        return 'OK searched';
      }
      case 'UID FETCH':
        for (const mail of mails) sayMail(box, mail, rest);
        return 'OK fetched';
      case 'UID STORE':
        store(box, mails, rest);
        return 'OK stored';
      case 'UID MOVE':
        return move(box, mails, words[1] ?? '');
      default:
        return 'BAD unknown command';
    }
  }

  function move(box: FakeMailbox, mails: readonly FakeMail[], name: string): string {
    const target = server.mailboxes.get(name);
    if (target === undefined) return 'NO [TRYCREATE] no such mailbox';
    for (const { raw, flags } of mails)
      target.mails.push({ uid: target.uidNext++, raw, flags: new Set(flags) });
    expunge(box, mails);
    return 'OK moved';
  }

  function sayMail(box: FakeMailbox, mail: FakeMail, items: string): void {
    const most = /<0\.(\d+)>/.exec(items)?.[1];
    const body = most === undefined ? mail.raw : mail.raw.subarray(0, Number(most));
    // Fetching without PEEK would mark it (RFC 3501, section 6.4.5).
    if (/BODY\[/i.test(items)) mail.flags.add('\\Seen');
    const place = most === undefined ? 'BODY[]' : 'BODY[]<0>';
    socket.write(`* ${box.mails.indexOf(mail) + 1} FETCH (UID ${mail.uid} ${place} {${body.length}}\r\n`);
    socket.write(body);
    say(')');
  }

  function store(box: FakeMailbox, mails: readonly FakeMail[], rest: string): void {
    for (const flag of rest.match(/\\\w+/g) ?? []) for (const mail of mails) mail.flags.add(flag);
    for (const mail of mails) {
      say(`* ${box.mails.indexOf(mail) + 1} FETCH (UID ${mail.uid} FLAGS (${[...mail.flags].join(' ')}))`);
    }
  }

  function expunge(box: FakeMailbox, mails: readonly FakeMail[]): void {
    for (const mail of mails) {
      const place = box.mails.indexOf(mail);
      box.mails.splice(place, 1);
      say(`* ${place + 1} EXPUNGE`);
    }
  }
}

/** Atoms and quoted strings of an argument list. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, atom]) =>
    quoted === undefined ? (atom ?? '') : quoted.replace(/\\(.)/g, '$1'),
  );
}

/** `3`, `1,4`, `5:*`; a range up to `*` always has the last message in it. */
function within({ mails }: FakeMailbox, set: string): FakeMail[] {
  const last = mails.at(-1)?.uid ?? 0;
  const ranges = set.split(',').map((part) => {
    const [from = 0, to = from] = part.split(':').map((end) => (end === '*' ? last : Number(end)));
    return [Math.min(from, to), Math.max(from, to)] as const;
  });
  return mails.filter(({ uid }) => ranges.some(([from, to]) => uid >= from && uid <= to));
}
