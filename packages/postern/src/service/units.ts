/** Units for service managers. They run `postern serve` itself; rotating its log is the manager's. */

export interface ServiceFacts {
  /** Program and arguments of `postern serve`. */
  readonly command: readonly [string, ...string[]];
  readonly workingDirectory: string;
  /** Variables the service needs beside the manager's own. */
  readonly environment: Readonly<Record<string, string>>;
}

export const SERVICE_NAME = 'postern';
export const LAUNCHD_LABEL = 'postern.hub';

/** A hub gives back what is in flight within ten seconds (process contract); then it may be killed. */
const STOP_SECONDS = 15;

/** A systemd user unit (systemd.service(5), systemd.exec(5)). */
export function systemdUnit({ command, workingDirectory, environment }: ServiceFacts): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
  );
  return `[Unit]
Description=Postern, a gate between AI agents and the people they talk to
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${escaped(workingDirectory)}
${[...variables, 'Restart=on-failure', 'RestartSec=2'].join('\n')}
TimeoutStopSec=${STOP_SECONDS}
KillMode=mixed
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`;
}

/** A launchd agent (launchd.plist(5)), for the user who is logged in: Messages and its database are that user's. */
export function launchdPlist(
  { command, workingDirectory, environment }: ServiceFacts,
  logFile: string,
): string {
  const strings = command.map((word) => `    <string>${xml(word)}</string>`).join('\n');
  const variables = Object.entries(environment)
    .map(([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>`)
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(workingDirectory)}</string>
  <key>EnvironmentVariables</key>
  <dict>
${variables}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  <string>${xml(logFile)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(logFile)}</string>
</dict>
</plist>
`;
}

/** In double quotes, with what systemd would read in them escaped (systemd.syntax(7)); in a command, `$` is more. */
function quoted(text: string): string {
  return `"${escaped(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** `%` begins a specifier. */
function escaped(text: string): string {
  if (/[\n\r\0]/.test(text)) throw new Error('a path or variable of a service must be one line');
  return text.replaceAll('%', '%%');
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
