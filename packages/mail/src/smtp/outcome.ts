/** What became of one message that was handed to a session: a value for every case, so that none is forgotten. */

/** The command that a reply answers; `dot` is the end of the message. */
export type ReplyStage = 'mail' | 'rcpt' | 'data' | 'dot';

/**
 * How far a message had come when its connection was lost. After the dot the server may have taken it, and only then
 * is it unknown whether a second try would be a second copy (RFC 1047).
 */
export type LossStage = 'before_data' | 'in_data' | 'after_dot';

export type SendOutcome =
  | {
      /** The server answered: 2xx at `dot` is acceptance, all else a refusal. */
      readonly kind: 'reply';
      readonly stage: ReplyStage;
      readonly code: number;
      /** Enhanced status code (RFC 2034) where the reply has one that fits its code. */
      readonly enhanced: string | null;
      readonly text: string;
    }
  | {
      /** Refused here, before anything was sent, as this server could not have taken it. */
      readonly kind: 'refused';
      readonly code: number;
      readonly enhanced: string;
      readonly text: string;
    }
  | {
      /** `beforeMail` or `beforeEnd` said no; the server has accepted nothing. */
      readonly kind: 'cancelled';
    }
  | {
      readonly kind: 'lost';
      readonly stage: LossStage;
      readonly text: string;
    };
