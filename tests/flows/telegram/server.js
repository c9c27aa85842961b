// Starts npm telegram-test-api, a Bot API server that nobody here wrote, and mends where it differs from Telegram's.
// Usage: node server.js PACKAGE PORT
const path = require('path');
const [home, port] = process.argv.slice(2);
const lib = (name) => require(path.join(home, 'lib', name));

// What it leaves out of getMe, and what it answers with errors because it does not know it.
const first = lib('routes/bot/deleteMessage'); // its routes are added first
const original = first.deleteMessage;
const answers = [];
const reactions = [];
const ok = (result) => (_req, res) => res.json({ ok: true, result });
first.deleteMessage = (app, server) => {
  app.all('/bot:token/getMe', ok({ id: 666, is_bot: true, first_name: 'Zgadka', username: 'TestNameBot' }));
  for (const method of ['setMyCommands', 'sendChatAction']) app.all(`/bot:token/${method}`, ok(true));
  app.all('/bot:token/getChatAdministrators', ok([]));
  app.all('/bot:token/answerCallbackQuery', (req, res) => {
    answers.push({ token: req.params.token, ...req.body });
    res.json({ ok: true, result: true });
  });
  app.all('/bot:token/setMessageReaction', (req, res) => {
    reactions.push({ token: req.params.token, ...req.body });
    res.json({ ok: true, result: true });
  });
  app.post('/reactions', (req, res) => res.json(reactions.filter((one) => one.token === req.body.token)));
  app.post('/answers', (req, res) => res.json(answers.filter((one) => one.token === req.body.token)));
  original(app, server);
};
const { TelegramServer } = lib('telegramServer');

// Dates are seconds; a negative chat is a group; a message knows who wrote it.
const add = TelegramServer.prototype.addBotMessage;
TelegramServer.prototype.addBotMessage = function (raw, token) {
  const message = add.call(this, raw, token);
  return {
    message_id: message.message_id,
    date: Math.floor(message.date / 1000),
    text: message.text,
    from: { id: 666, is_bot: true, first_name: 'Zgadka', username: 'TestNameBot' },
    chat: { id: message.chat.id, type: message.chat.id < 0 ? 'group' : 'private', title: 'Chat' },
    reply_markup: message.reply_markup,
  };
};

// An edit without buttons takes the buttons away.
const edit = TelegramServer.prototype.editMessageText;
TelegramServer.prototype.editMessageText = function (raw) {
  edit.call(this, { reply_markup: undefined, ...raw });
};

// A press says which chat it came from.
const format = TelegramServer.formatUpdate;
TelegramServer.formatUpdate = (update) => {
  const formatted = format(update);
  if (formatted.callback_query) formatted.callback_query.chat_instance = '1';
  return formatted;
};

new TelegramServer({ port: Number(port), host: '127.0.0.1', storeTimeout: 600 })
  .start()
  .then(() => console.log('listening'));
