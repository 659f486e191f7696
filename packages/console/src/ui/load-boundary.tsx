import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

interface LoadBoundaryProps {
  readonly children: ReactNode;
}

/** Stands around what is fetched on demand: a page that outlived an update asks for files that are gone. */
export class LoadBoundary extends Component<LoadBoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="full-page">
        <div className="state" role="alert">
          <span className="state-icon state-icon-danger">
            <Icon name="warning" />
          </span>
          <h2>This page could not be shown</h2>
          <p className="state-text">
            Postern may have been updated meanwhile. Loading the console anew helps.
          </p>
          <Button icon="refresh" onClick={() => window.location.reload()}>
            Load anew
          </Button>
        </div>
      </div>
    );
  }
}
