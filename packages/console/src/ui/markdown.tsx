import { Fragment, memo, type ReactNode } from 'react';
import { type Block, type Inline, type Naming, parseMarkdown } from '../lib/markdown.ts';

interface MarkdownProps {
  readonly text: string;
  /** Names for what the platform writes as ids; the ids stand where it has none. */
  readonly naming?: Naming | undefined;
}

const UNNAMED: Naming = () => null;

/** Shows a message's light Markdown. Nothing in it is ever parsed as HTML. */
export const Markdown = memo(function Markdown({ text, naming = UNNAMED }: MarkdownProps) {
  return <div className="markdown">{blocks(parseMarkdown(text), naming)}</div>;
});

// Keys are positions: the tree is made anew from the text, and nothing in it has state.
function blocks(list: readonly Block[], naming: Naming): ReactNode {
  return list.map((block, index) => <Fragment key={String(index)}>{blockNode(block, naming)}</Fragment>);
}

function blockNode(block: Block, naming: Naming): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{inlines(block.children, naming)}</p>;
    case 'heading':
      return (
        <p dir="auto" className="markdown-heading">
          {inlines(block.children, naming)}
        </p>
      );
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote>{blocks(block.blocks, naming)}</blockquote>;
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={String(index)} dir="auto">
          {inlines(item, naming)}
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
  }
}

function inlines(list: readonly Inline[], naming: Naming): ReactNode {
  return list.map((inline, index) => <Fragment key={String(index)}>{inlineNode(inline, naming)}</Fragment>);
}

function inlineNode(inline: Inline, naming: Naming): ReactNode {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return <code>{inline.text}</code>;
    case 'mention':
      return <span className="mention">@{inline.text}</span>;
    case 'reference': {
      const name = naming(inline);
      if (name === null) return inline.text;
      const isWord = inline.to === 'emoji' || inline.to === 'time';
      return <bdi className={isWord ? undefined : 'mention'}>{name}</bdi>;
    }
    case 'strong':
      return <strong>{inlines(inline.children, naming)}</strong>;
    case 'emphasis':
      return <em>{inlines(inline.children, naming)}</em>;
    case 'strike':
      return <s>{inlines(inline.children, naming)}</s>;
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {inlines(inline.children, naming)}
        </a>
      );
  }
}
