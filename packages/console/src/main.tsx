import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './shell/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/shell.css';
import './styles/chat.css';
import './styles/inbox.css';

applyTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
