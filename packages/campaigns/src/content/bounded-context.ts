import { Context } from 'liquidjs';

/**
 * A context that bounds the time of a rendering by what it has worked, and minds it within filters too.
 *
 * LiquidJS goes by the clock on the wall. On a busy machine a thread may have to wait for its turn for longer than any
 * template may take, and its recipient would go without a mail for that. It also looks at the clock between tags and
 * outputs alone, but `where_exp` and its like work through as many items as a range can name.
 */
export class BoundedContext extends Context {
  constructor(...given: ConstructorParameters<typeof Context>) {
    super(...given);
    const { renderLimit, opts } = this;
    const deadline = performance.now() + opts.renderLimit;
    const before = process.threadCpuUsage();
    const exceed = renderLimit.check.bind(renderLimit, Number.POSITIVE_INFINITY);
    renderLimit.check = (now) => {
      if (now <= deadline) return;
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1_000 > opts.renderLimit) exceed();
    };
  }

  override push(...scope: Parameters<Context['push']>): ReturnType<Context['push']> {
    this.renderLimit.check(performance.now());
    return super.push(...scope);
  }

  override spawn(...scope: Parameters<Context['spawn']>): ReturnType<Context['spawn']> {
    this.renderLimit.check(performance.now());
    return super.spawn(...scope);
  }
}
