/** Variable with the path that the recorded examples are written to. */
export const RECORDING_FILE = 'POSTERN_RECORDING_FILE';
