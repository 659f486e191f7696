import { Context } from 'liquidjs';

/**
 * A context that minds the time within filters too. LiquidJS looks at the clock between tags and outputs alone, but
 * `where_exp` and its like work through as many items as a range can name.
 */
export class BoundedContext extends Context {
  override push(...scope: Parameters<Context['push']>): ReturnType<Context['push']> {
    this.renderLimit.check(performance.now());
    return super.push(...scope);
  }

  override spawn(...scope: Parameters<Context['spawn']>): ReturnType<Context['spawn']> {
    this.renderLimit.check(performance.now());
    return super.spawn(...scope);
  }
}
