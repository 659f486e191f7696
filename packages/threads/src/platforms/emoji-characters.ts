/** Characters of the emoji that people use most, under the names that Slack and Mattermost share. */
const TABLE = `
👍 +1, 👎 -1, 👏 clap, 🙏 pray, 🙌 raised_hands, 👋 wave, 👌 ok_hand, ✌️ v, 🤞 crossed_fingers, 🤝 handshake
💪 muscle, 👊 facepunch, ✊ fist, 👆 point_up_2, ☝️ point_up, 👇 point_down, 👈 point_left, 👉 point_right, ✋ hand
🖐️ raised_hand_with_fingers_splayed, 🤚 raised_back_of_hand, 🤙 call_me_hand, 🫶 heart_hands, ✍️ writing_hand
🤷 shrug, 🤦 face_palm, 🙋 raising_hand, 🙇 bow, 💁 information_desk_person, 👀 eyes, 🧠 brain
🗣️ speaking_head_in_silhouette, 👤 bust_in_silhouette, 👥 busts_in_silhouette, 🙂 slightly_smiling_face
😀 grinning, 😄 smile, 😁 grin, 😂 joy, 🤣 rolling_on_the_floor_laughing, 😊 blush, 😉 wink, 😍 heart_eyes
🥰 smiling_face_with_3_hearts, 😘 kissing_heart, 😎 sunglasses, 🤓 nerd_face, 🤔 thinking_face
🤨 face_with_raised_eyebrow, 🧐 face_with_monocle, 😐 neutral_face, 😶 no_mouth, 🙄 face_with_rolling_eyes
😏 smirk, 😅 sweat_smile, 😬 grimacing, 😴 sleeping, 😪 sleepy, 😮 open_mouth, 😲 astonished, 🤯 exploding_head
😳 flushed, 🥺 pleading_face, 😢 cry, 😭 sob, 😤 triumph, 😠 angry, 😡 rage, 🤬 face_with_symbols_on_mouth
😱 scream, 😨 fearful, 😰 cold_sweat, 😕 confused, 🙁 slightly_frowning_face, 😞 disappointed, 😩 weary
😫 tired_face, 🤒 face_with_thermometer, 🤕 face_with_head_bandage, 🤗 hugging_face, 🤩 star-struck
🥳 partying_face, 😇 innocent, 🤖 robot_face, 👻 ghost, 💀 skull, 💩 hankey, 🙈 see_no_evil, 🙉 hear_no_evil
🙊 speak_no_evil, ✅ white_check_mark, ☑️ ballot_box_with_check, ✔️ heavy_check_mark, ❌ x
❎ negative_squared_cross_mark, ❓ question, ❗ exclamation, ‼️ bangbang, ⚠️ warning, 🚫 no_entry_sign
⛔ no_entry, 🛑 octagonal_sign, 🔴 red_circle, 🟠 large_orange_circle, 🟡 large_yellow_circle
🟢 large_green_circle, 🔵 large_blue_circle, ⚪ white_circle, ⚫ black_circle, 💯 100, 🔄 arrows_counterclockwise
🔁 repeat, ⏸️ double_vertical_bar, ▶️ arrow_forward, ⏹️ black_square_for_stop
⏭️ black_right_pointing_double_triangle_with_vertical_bar, ⏳ hourglass_flowing_sand, ⌛ hourglass
⏰ alarm_clock, ⏱️ stopwatch, ➕ heavy_plus_sign, ➖ heavy_minus_sign, ➡️ arrow_right, ⬅️ arrow_left
⬆️ arrow_up, ⬇️ arrow_down, 🆗 ok, 🆕 new, 🔔 bell, 🔕 no_bell, 💤 zzz, 💬 speech_balloon, 💭 thought_balloon
1️⃣ one, 2️⃣ two, 3️⃣ three, 4️⃣ four, 5️⃣ five, 6️⃣ six, 7️⃣ seven, 8️⃣ eight, 9️⃣ nine, 🔟 keycap_ten
0️⃣ zero, #️⃣ hash, ℹ️ information_source, ❤️ heart, 🧡 orange_heart, 💛 yellow_heart, 💚 green_heart
💙 blue_heart, 💜 purple_heart, 🖤 black_heart, 🤍 white_heart, 💔 broken_heart, 💖 sparkling_heart, 🎉 tada
🎊 confetti_ball, 🥂 clinking_glasses, 🎂 birthday, 🎁 gift, 🏆 trophy, 🥇 first_place_medal, ⭐ star, 🌟 star2
✨ sparkles, 🔥 fire, ⚡ zap, 💥 boom, 🚀 rocket, 🌈 rainbow, ☀️ sunny, ☁️ cloud, ❄️ snowflake, 📝 memo, 📌 pushpin
📎 paperclip, 🔗 link, 📅 date, 📈 chart_with_upwards_trend, 📉 chart_with_downwards_trend, 📊 bar_chart
📦 package, 📧 email, 📨 incoming_envelope, 📣 mega, 📢 loudspeaker, 🔍 mag, 💡 bulb, 🔒 lock, 🔓 unlock, 🔑 key
🔧 wrench, 🔨 hammer, 🛠️ hammer_and_wrench, ⚙️ gear, 🧪 test_tube, 🐛 bug, 🧹 broom, 🗑️ wastebasket
💾 floppy_disk, 💻 computer, 🖥️ desktop_computer, 📱 iphone, 🧵 thread, 🚧 construction, 🚨 rotating_light
🏁 checkered_flag, 🎯 dart, 🧭 compass, ☕ coffee, 🍵 tea, 🍕 pizza, 🍺 beer, 🍻 beers, 🌱 seedling, 🌍 earth_africa
🏠 house, 🚪 door, 🐢 turtle, 🐙 octopus, 🦊 fox_face, 🐶 dog, 🐱 cat, 🦆 duck, ✖️ heavy_multiplication_x
`;

/** Makes a character look like an emoji, and is left out by many. */
const VARIATION = /\ufe0f/g;
const TONES = '\u{1f3fb}-\u{1f3ff}';
const TONE = new RegExp(`[${TONES}]`, 'gu');

const byCharacter = new Map(
  TABLE.trim()
    .split(/,\s*|\n/)
    .map((pair) => {
      const [character = '', name = ''] = pair.split(' ');
      return [character.replaceAll(VARIATION, ''), name] as const;
    }),
);

/** The name of an emoji that is given as its character, of whatever skin tone; null for one that is not known here. */
export function emojiOfCharacter(character: string): string | null {
  const bare = character.trim().replaceAll(VARIATION, '').replaceAll(TONE, '');
  return byCharacter.get(bare) ?? null;
}
