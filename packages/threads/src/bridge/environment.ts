/**
 * The environment of the tools' server when the bot starts it through the agent's program. It belongs into the MCP
 * configuration's `env` of that server alone: with the token in its own environment, the agent's program would hand
 * it to every command it runs.
 */
export const BRIDGE_SOCKET = 'POSTERN_BRIDGE_SOCKET';
export const BRIDGE_TOKEN = 'POSTERN_BRIDGE_TOKEN';
/** Features that are on, joined by commas; only their tools are listed. */
export const BRIDGE_FEATURES = 'POSTERN_BRIDGE_FEATURES';

export function bridgeEnvironment(bridge: {
  readonly socketPath: string;
  readonly token: string;
  readonly features: readonly string[];
}): Record<string, string> {
  return {
    [BRIDGE_SOCKET]: bridge.socketPath,
    [BRIDGE_TOKEN]: bridge.token,
    [BRIDGE_FEATURES]: bridge.features.join(','),
  };
}
