// The comparison of every HTTP figure: an empty Koa with the same router and body parser, which sends the body back.
import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';

const app = new Koa();
const router = new Router();
router.patch('/echo', (ctx) => {
  ctx.body = ctx.request.body;
});
app.use(bodyParser());
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stdout.write(`Listening on http://127.0.0.1:${address.port}\n`);
});
