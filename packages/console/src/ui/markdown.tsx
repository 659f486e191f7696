import { Fragment, memo, type ReactNode } from 'react';
import { type Block, type Inline, parseMarkdown } from '../lib/markdown.ts';

/** Shows a message's light Markdown. Nothing in it is ever parsed as HTML. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return <div className="markdown">{blocks(parseMarkdown(text))}</div>;
});

// Keys are positions: the tree is made anew from the text, and nothing in it has state.
function blocks(list: readonly Block[]): ReactNode {
  return list.map((block, index) => <Fragment key={String(index)}>{blockNode(block)}</Fragment>);
}

function blockNode(block: Block): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{inlines(block.children)}</p>;
    case 'heading':
      return (
        <p dir="auto" className="markdown-heading">
          {inlines(block.children)}
        </p>
      );
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={String(index)} dir="auto">
          {inlines(item)}
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
  }
}

function inlines(list: readonly Inline[]): ReactNode {
  return list.map((inline, index) => <Fragment key={String(index)}>{inlineNode(inline)}</Fragment>);
}

function inlineNode(inline: Inline): ReactNode {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return <code>{inline.text}</code>;
    case 'mention':
      return <span className="mention">@{inline.text}</span>;
    case 'strong':
      return <strong>{inlines(inline.children)}</strong>;
    case 'emphasis':
      return <em>{inlines(inline.children)}</em>;
    case 'strike':
      return <s>{inlines(inline.children)}</s>;
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {inlines(inline.children)}
        </a>
      );
  }
}
