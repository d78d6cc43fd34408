import { render } from 'preact';
import { App, askWhetherToSignIn } from './app/app.tsx';
import './style.css';

const root = document.getElementById('app');
// An effect of the first picture would ask only after it.
void askWhetherToSignIn();
if (root !== null) render(<App />, root);
