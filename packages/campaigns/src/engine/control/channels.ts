/** Wakes the senders of all processes and threads: a campaign was launched, paused, resumed, cancelled; a mail waits. */
export const ENGINE_CHANNEL = 'mail_engine';
/** Wakes the control loops: a campaign may have come to its end. */
export const PROGRESS_CHANNEL = 'mail_progress';
