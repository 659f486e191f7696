/**
 * The emoji of the picker, under the names that Slack, Mattermost and Discord share. One line each:
 * glyph, name, further names and search words. A `*` after the glyph: it takes a skin tone.
 */

export interface EmojiGroup {
  readonly label: string;
  readonly lines: string;
}

export const emojiGroups: readonly EmojiGroup[] = [
  {
    label: 'Hands and people',
    lines: `
👍* +1 thumbsup yes approve ok
👎* -1 thumbsdown no deny
👏* clap applause
🙏* pray thanks please folded_hands
🙌* raised_hands hooray
👋* wave hello bye
👌* ok_hand fine
✌️* v peace victory
🤞* crossed_fingers luck
🤝* handshake deal agree
💪* muscle strong
👊* facepunch punch fist
✊* fist raised
👆* point_up_2 above
☝️* point_up one
👇* point_down below
👈* point_left
👉* point_right
✋* hand raised_hand stop high_five
🖐️* raised_hand_with_fingers_splayed
🤚* raised_back_of_hand
🤙* call_me_hand
🫶* heart_hands love
✍️* writing_hand
🤷* shrug dunno
🤦* face_palm facepalm
🙋* raising_hand question
🙇* bow sorry
💁* information_desk_person
👀 eyes look watching
🧠 brain
🗣️ speaking_head_in_silhouette
👤 bust_in_silhouette
👥 busts_in_silhouette team`,
  },
  {
    label: 'Faces',
    lines: `
🙂 slightly_smiling_face smile
😀 grinning
😄 smile happy
😁 grin
😂 joy laugh tears
🤣 rolling_on_the_floor_laughing rofl
😊 blush
😉 wink
😍 heart_eyes love
🥰 smiling_face_with_3_hearts
😘 kissing_heart
😎 sunglasses cool
🤓 nerd_face
🤔 thinking_face thinking hmm
🤨 face_with_raised_eyebrow
🧐 face_with_monocle
😐 neutral_face
😶 no_mouth
🙄 face_with_rolling_eyes
😏 smirk
😅 sweat_smile
😬 grimacing
😴 sleeping zzz
😪 sleepy
😮 open_mouth wow
😲 astonished
🤯 exploding_head
😳 flushed
🥺 pleading_face
😢 cry sad
😭 sob
😤 triumph
😠 angry
😡 rage
🤬 face_with_symbols_on_mouth
😱 scream
😨 fearful
😰 cold_sweat
😕 confused
🙁 slightly_frowning_face
😞 disappointed
😩 weary
😫 tired_face
🤒 face_with_thermometer sick
🤕 face_with_head_bandage
🤗 hugging_face hug
🤩 star-struck
🥳 partying_face
😇 innocent
🤖 robot_face robot bot agent
👻 ghost
💀 skull
💩 hankey poop
🙈 see_no_evil
🙉 hear_no_evil
🙊 speak_no_evil`,
  },
  {
    label: 'Signs',
    lines: `
✅ white_check_mark done approve all
☑️ ballot_box_with_check
✔️ heavy_check_mark
❌ x no deny
❎ negative_squared_cross_mark
❓ question
❗ exclamation
‼️ bangbang
⚠️ warning
🚫 no_entry_sign
⛔ no_entry
🛑 octagonal_sign stop
🔴 red_circle
🟠 large_orange_circle
🟡 large_yellow_circle
🟢 large_green_circle
🔵 large_blue_circle
⚪ white_circle
⚫ black_circle
💯 100 hundred
🔄 arrows_counterclockwise retry resume
🔁 repeat
⏸️ double_vertical_bar pause
▶️ arrow_forward play
⏹️ black_square_for_stop
⏭️ black_right_pointing_double_triangle_with_vertical_bar skip
⏳ hourglass_flowing_sand waiting
⌛ hourglass
⏰ alarm_clock
⏱️ stopwatch
➕ heavy_plus_sign
➖ heavy_minus_sign
➡️ arrow_right
⬅️ arrow_left
⬆️ arrow_up
⬇️ arrow_down
🆗 ok
🆕 new
🔔 bell
🔕 no_bell
💤 zzz
💬 speech_balloon
💭 thought_balloon
1️⃣ one
2️⃣ two
3️⃣ three
4️⃣ four
5️⃣ five
6️⃣ six
7️⃣ seven
8️⃣ eight
9️⃣ nine
🔟 keycap_ten
0️⃣ zero
#️⃣ hash
ℹ️ information_source info`,
  },
  {
    label: 'Hearts and feasts',
    lines: `
❤️ heart love
🧡 orange_heart
💛 yellow_heart
💚 green_heart
💙 blue_heart
💜 purple_heart
🖤 black_heart
🤍 white_heart
💔 broken_heart
💖 sparkling_heart
🎉 tada party celebrate
🎊 confetti_ball
🥂 clinking_glasses cheers
🎂 birthday cake
🎁 gift
🏆 trophy
🥇 first_place_medal
⭐ star
🌟 star2
✨ sparkles
🔥 fire
⚡ zap
💥 boom
🚀 rocket ship
🌈 rainbow
☀️ sunny
☁️ cloud
❄️ snowflake`,
  },
  {
    label: 'Work and things',
    lines: `
📝 memo note
📌 pushpin pin
📎 paperclip attachment
🔗 link
📅 date calendar
📈 chart_with_upwards_trend
📉 chart_with_downwards_trend
📊 bar_chart
📦 package
📧 email
📨 incoming_envelope
📣 mega
📢 loudspeaker
🔍 mag search
💡 bulb idea
🔒 lock
🔓 unlock
🔑 key
🔧 wrench fix
🔨 hammer
🛠️ hammer_and_wrench
⚙️ gear
🧪 test_tube
🐛 bug
🧹 broom
🗑️ wastebasket
💾 floppy_disk save
💻 computer laptop
🖥️ desktop_computer
📱 iphone phone
🧵 thread
🚧 construction
🚨 rotating_light alert
🏁 checkered_flag
🎯 dart
🧭 compass
☕ coffee
🍵 tea
🍕 pizza
🍺 beer
🍻 beers
🌱 seedling
🌍 earth_africa
🏠 house home
🚪 door
🐢 turtle slow
🐙 octopus
🦊 fox_face
🐶 dog
🐱 cat
🦆 duck`,
  },
];
