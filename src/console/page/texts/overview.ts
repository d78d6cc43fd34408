import { words } from './words.ts';

export const overview = words(
  {
    ready: 'The service has all that it needs.',
    notReady: 'The service is not ready',
    needs: 'What the service needs',
    states: { up: 'answers', down: 'away', unknown: 'not known yet' },
    since: (time: string) => `since ${time}`,
  },
  {
    ready: '服务所需的一切均可用。',
    notReady: '服务尚未就绪',
    needs: '服务所依赖的部分',
    states: { up: '正常', down: '不可用', unknown: '未知' },
    since: (time: string) => `自 ${time} 起`,
  },
);
