import { expect, test } from 'vitest';
import { launchdPlist, type ServiceFacts, systemdUnit } from './units.ts';

const facts: ServiceFacts = {
  command: ['/opt/my node/bin/node', '/srv/100%/$a/bin/postern.js', 'serve'],
  workingDirectory: '/srv/100%',
  environment: { POSTERN_DATA_DIR: '/srv/a "b" $HOME\\c' },
};

test('a systemd unit keeps spaces, quotes, dollars and percent signs as they are', () => {
  const unit = systemdUnit(facts);
  expect(unit).toContain('ExecStart="/opt/my node/bin/node" "/srv/100%%/$$a/bin/postern.js" "serve"\n');
  expect(unit).toContain('WorkingDirectory=/srv/100%%\n');
  // Variables are put into commands alone.
  expect(unit).toContain('Environment="POSTERN_DATA_DIR=/srv/a \\"b\\" $HOME\\\\c"\n');
});

test('a launchd plist is XML whatever stands in it', () => {
  const plist = launchdPlist({ ...facts, workingDirectory: '/srv/a<b>&c' }, '/log');
  expect(plist).toContain('<string>/srv/a&lt;b&gt;&amp;c</string>');
  expect(plist).toContain('<string>/opt/my node/bin/node</string>');
});

test('a path of two lines is refused', () => {
  expect(() => systemdUnit({ ...facts, workingDirectory: '/a\nExecStart=/bin/evil' })).toThrow('one line');
});
