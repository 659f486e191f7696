import type { Page } from 'playwright-core';

/**
 * Checks of the page as it is shown, by the rules of WCAG 2.2: contrast, names, labels, focus order and
 * overflow. Each gives what is wrong, in words; an empty list is a pass.
 */

/** Contrast of every visible text with what is behind it (1.4.3). */
export function lowContrast(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Colour = readonly [red: number, green: number, blue: number, alpha: number];
    const canvas = document.createElement('canvas');
    canvas.width = 1;
    canvas.height = 1;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const seen = new Map<string, Colour>();

    /** Whatever form a computed colour has, painting it tells its channels. */
    function channels(css: string): Colour {
      const known = seen.get(css);
      if (known !== undefined) return known;
      if (context === null) throw new Error('the browser has no canvas');
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = css;
      context.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
      const colour: Colour = [red, green, blue, alpha / 255];
      seen.set(css, colour);
      return colour;
    }

    function over(top: Colour, bottom: Colour): Colour {
      const mix = (index: 0 | 1 | 2) => top[index] * top[3] + bottom[index] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    }

    function lightness([red, green, blue]: Colour): number {
      const linear = (channel: number) => {
        const part = channel / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    }

    function behind(element: Element): Colour {
      const layers: Colour[] = [];
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const colour = channels(getComputedStyle(at).backgroundColor);
        if (colour[3] > 0) layers.push(colour);
        if (colour[3] === 1) break;
      }
      return layers.reduceRight<Colour>((bottom, layer) => over(layer, bottom), [255, 255, 255, 1]);
    }

    /** Disabled controls are exempt; so is what is on its way and says so in words. */
    function exempt(element: Element): boolean {
      return element.closest(':disabled, [aria-disabled=true], .visually-hidden, [inert]') !== null;
    }

    const problems = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (element === null || text === '' || exempt(element)) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      // Emoji bring their own colours.
      if (/^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D)+$/u.test(text)) continue;
      const style = getComputedStyle(element);
      const ground = behind(element);
      const ink = over(channels(style.color), ground);
      const both = [lightness(ink), lightness(ground)];
      const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (large ? 3 : 4.5)) {
        problems.add(`${ratio.toFixed(2)} for “${text.slice(0, 40)}” in .${element.className}`);
      }
    }
    return [...problems];
  });
}

/** Names, labels, ids and order (1.1.1, 1.3.1, 2.4.3, 4.1.2). */
export function unlabelled(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const describe = (element: Element) => element.outerHTML.slice(0, 120);

    function nameOf(element: Element): string {
      const by = element.getAttribute('aria-labelledby');
      if (by !== null)
        return by
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent ?? '')
          .join(' ');
      const label = element.getAttribute('aria-label');
      if (label !== null) return label;
      if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
        return [...(element.labels ?? [])].map((one) => one.textContent).join(' ');
      }
      if (element instanceof HTMLImageElement) return element.alt;
      return element.textContent ?? '';
    }

    for (const element of document.querySelectorAll(
      'button, a[href], input:not([hidden]), textarea, select, img, dialog, [role=dialog], nav, [role=tab], [role=tabpanel]',
    )) {
      if (element.checkVisibility() && nameOf(element).trim() === '')
        problems.push(`no name: ${describe(element)}`);
    }
    for (const element of document.querySelectorAll(
      '[aria-controls], [aria-labelledby], [aria-describedby], [aria-activedescendant]',
    )) {
      for (const attribute of [
        'aria-controls',
        'aria-labelledby',
        'aria-describedby',
        'aria-activedescendant',
      ]) {
        for (const id of element.getAttribute(attribute)?.split(' ') ?? []) {
          if (document.getElementById(id) === null)
            problems.push(`${attribute} to nothing: ${describe(element)}`);
        }
      }
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    for (const id of new Set(ids.filter((one, index) => ids.indexOf(one) !== index)))
      problems.push(`id twice: ${id}`);
    for (const element of document.querySelectorAll('[tabindex]')) {
      if (Number(element.getAttribute('tabindex')) > 0) problems.push(`order forced: ${describe(element)}`);
    }
    for (const element of document.querySelectorAll('svg:not([aria-hidden=true])'))
      problems.push(`bare picture: ${describe(element)}`);
    if (document.querySelectorAll('main').length !== 1) problems.push('there must be one main');
    if (document.documentElement.lang === '') problems.push('no language');
    if (document.title === '') problems.push('no title');
    const headings = [...document.querySelectorAll('h1, h2, h3')].filter((heading) =>
      heading.checkVisibility(),
    );
    if (headings.length === 0) problems.push('no heading');
    return problems;
  });
}

/** What is wider than the screen (1.4.10), and controls too small to hit (2.5.8). */
export function badFit(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width)
      problems.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const { scrollWidth, clientWidth } of document.querySelectorAll('.section')) {
      if (scrollWidth > clientWidth) problems.push(`a section of ${clientWidth} holds ${scrollWidth}`);
    }
    const scrolls = (element: Element) => {
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth)
          return true;
      }
      return false;
    };
    for (const element of document.querySelectorAll('body *')) {
      if (
        !element.checkVisibility() ||
        element.closest('.visually-hidden, .skip-link, svg') !== null ||
        scrolls(element)
      )
        continue;
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right > width + 1 || box.left < -1))
        problems.push(`outside: ${element.outerHTML.slice(0, 100)}`);
      const inText = element.closest('p, dd, .markdown') !== null;
      if (element.matches('button, a[href]') && !inText && (box.width < 24 || box.height < 24)) {
        // A small target is fine when nothing else is near it: a line of its own counts by its height.
        if (box.height < 18) problems.push(`small: ${element.outerHTML.slice(0, 100)}`);
      }
    }
    return problems;
  });
}
