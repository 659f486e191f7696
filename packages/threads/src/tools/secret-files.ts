/** Names that say a file or folder holds credentials, whatever is in it. */

/** Everything below these folders. */
const FOLDERS = new Set(['.git', '.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.password-store']);

const FILES: readonly RegExp[] = [
  // .env, .env.local, .envrc
  /^\.env/,
  // Private keys as ssh names them, and their like.
  /^id_/,
  /\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx|gpg|asc)$/,
  /^[._](?:npmrc|yarnrc(?:\.yml)?|netrc|pypirc|pgpass|my\.cnf|htpasswd|dockercfg|git-credentials|vault-token)$/,
  // credentials, credentials.json, aws_credentials
  /(?:^|[._-])credentials?(?:\.[a-z0-9]+)?$/,
  /^secrets?\.(?:json|ya?ml|toml|env|txt)$/,
  /^\.?secrets?$/,
  /^service[-_]account.*\.json$/,
];

/** Whether a name on the way, or the file's own, is one of them. Case does not matter. */
export function isSecretPath(path: string): boolean {
  const names = path.toLowerCase().split(/[\\/]+/);
  return names.some(
    (name, index) =>
      FOLDERS.has(name) ||
      name.startsWith('.env') ||
      (index === names.length - 1 && FILES.some((pattern) => pattern.test(name))),
  );
}
